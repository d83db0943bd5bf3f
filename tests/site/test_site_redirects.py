"""An address that was once given out leads to where its page or section is now."""

import pytest
from small_book import build, text

pytestmark = [pytest.mark.thorough, pytest.mark.browser]
MOVES = """
"book/old.html" = "book/page.html"
"book/old.html#lab" = "book/page.html#two"
"older/still.html" = "book/page.html#one"
"book/page.html#first" = "book/page.html#one"
"book/page.html#gone" = "book/index.html#start"
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    page = [text("# Page\n\n## One\n\nWords.\n\n## Two\n\nWords.")]
    pages = {"index": [text("# Start\n\nWords.")], "page": page}
    return build(tmp_path_factory.mktemp("moved"), pages, {"book/redirects.toml": MOVES})


def test_the_strict_build_succeeds(book):
    assert book.code == 0, book.log


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("book/old.html", "book/page.html"),
        ("book/old.html#two", "book/page.html#two"),
        ("book/old.html#lab", "book/page.html#two"),
        ("older/still.html", "book/page.html#one"),
        ("book/page.html#first", "book/page.html#one"),
        ("book/page.html#gone", "book/index.html#start"),
        ("book/page.html#two", "book/page.html#two"),
    ],
)
def test_an_old_address_leads_on(browser, book, old, new):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{book.html.as_uri()}/{old}")
        page.wait_for_url(f"{book.html.as_uri()}/{new}")
        assert page.title() != "Moved"


def test_a_link_followed_on_the_page_leads_on_too(browser, book):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{book.html.as_uri()}/book/page.html")
        page.evaluate("location.hash = 'first'")
        page.wait_for_url("**/page.html#one")


def test_an_old_page_leads_on_without_scripts(browser, book):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{book.html.as_uri()}/older/still.html")
        page.wait_for_url("**/book/page.html#one")
    assert '<link rel="canonical" href="../book/page.html#one">' in (
        book.html / "older" / "still.html"
    ).read_text("utf-8")


@pytest.mark.gate(
    "site: old addresses lead somewhere",
    "a target that does not exist, an old address that still does",
)
def test_a_wrong_table_turns_the_build_red(tmp_path):
    moves = """
"a.html" = "book/nowhere.html"
"b.html" = "book/index.html#nothing"
"book/index.html" = "book/page.html"
"book/page.html#one" = "book/page.html"
"c.html#d" = "book/page.html"
"""
    pages = {"index": [text("# Start")], "page": [text("# Page\n\n## One\n\nWords.")]}
    built = build(tmp_path, pages, {"book/redirects.toml": moves})

    assert built.code != 0
    said = [line.partition("WARNING: ")[2] for line in built.warnings]
    assert len(said) == 5
    assert said[0].startswith("a.html leads to book/nowhere.html, which is not there")
    assert said[1].startswith("b.html leads to book/index.html#nothing, which is not there")
    assert said[2].startswith("book/index.html has moved to book/page.html and is still there")
    assert said[3].startswith("book/page.html#one has moved to book/page.html and is still")
    assert said[4].startswith("c.html#d has moved, and so has its page")
