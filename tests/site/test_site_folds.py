"""Folds on a small book: what they hide, what they say, and what opens them."""

import re
from urllib.parse import quote

import pytest
from small_book import DRAWING, FIGURE, build, code, text

from attention_course.page.fold import folded

pytestmark = pytest.mark.thorough
FOLDED = {"jp-MarkdownHeadingCollapsed": True}
STATES = "() => [...document.querySelectorAll('details.ac-deeper')].map((e) => e.open)"


def marked(*said):
    return {"text/html": folded(*said), "text/plain": "what a terminal says"}


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    cells = [
        text('# Page\n\nSee <a href="#inside">below</a>.'),
        code("import this", "setup"),
        text("## One\n\nWords."),
        text("### Why\n\nA proof: $q$ and *zanzibar*.", "deeper", **FOLDED),
        code("1", "deeper", shows=[FIGURE]),
        text("#### Inside\n\nMore.", "deeper"),
        code("c", "deeper", shows=[marked("✓ in a fold", "below 1")]),
        text("### How\n\nAnother way.", "deeper", **FOLDED),
        text("## Two\n\n<details>\n<summary>Solution</summary>\n\nA *quagga*.\n\n</details>\n"),
        code("1", "hide-input", shows=[FIGURE]),
        code("1", "hide-input", shows=[DRAWING]),
        code("first = 1", "hide-input"),
        code("second = 2", "hide-input"),
        code("third = 3", "hide-input", prints="4321\n"),
        code("a", shows=[marked("✓ a", "above 0: 1"), marked("✓ b", "below 1e-9")]),
        code("b", shows=[marked("Recorded", "x.py")]),
        code("alone = 4", "hide-input"),
        code("1", "hide-cell", prints="1\n"),
    ]
    pages = {"index": [text("# Start")], "page": cells}
    return build(tmp_path_factory.mktemp("folds"), pages)


def test_the_strict_build_succeeds(book):
    assert book.code == 0, book.log


def test_a_fold_is_its_section_and_no_entry_of_the_section_list(book):
    page = book.page("page")

    assert page.count('<details class="ac-deeper">') == 2
    fold = re.search(r'<section id="why">\s*<details.*?</h3>', page, re.DOTALL)
    assert "Going deeper:</span> <h3>Why<a" in fold[0]
    assert 'id="inside"' in page
    here = re.search(r'<ul class="ac-here">.*?</ul>', page, re.DOTALL)[0]
    assert "Two" in here
    assert "Why" not in here


def test_of_plumbing_the_result_stands_and_the_notebook_has_its_code(book):
    page = book.page("page")
    names = re.findall(r'<details class="hide[^>]*><summary>(.*?)</summary>', page)

    assert names == ["The code and its output"]
    article = page[page.index("<article") : page.index("</article>")]
    assert not re.search("first|second|third|alone|import", article)
    assert "4321" in page
    link = re.search(r'href="([^"]*)" download>Notebook', page)[1]
    assert "third = 3" in (book.html / "book" / link).read_text(encoding="utf-8")


def test_a_section_has_one_mark_for_what_it_claims_and_where_it_is_from(book):
    marks = re.findall(r'<details class="ac-hold">.*?</details>', book.page("page"))
    assert marks == [
        folded("✓ in a fold", "below 1"),
        '<details class="ac-hold"><summary>✓ 2 claims checked · Recorded</summary><p>✓ a</p>'
        "<p>above 0: 1</p><p>✓ b</p><p>below 1e-9</p><p>x.py</p></details>",
    ]
    assert "what a terminal says" not in book.page("page")


@pytest.fixture
def page(browser, book):
    with browser.new_context(viewport={"width": 360, "height": 740}) as context:
        page = context.new_page()
        page.acErrors = []
        page.on("pageerror", lambda error: page.acErrors.append(str(error)))
        yield page
        assert page.acErrors == []


def address(book, more=""):
    return (book.html / "book" / "page.html").as_uri() + more


@pytest.mark.browser
def test_folds_are_closed_until_an_anchor_opens_them(page, book):
    page.goto(address(book))
    assert page.evaluate(STATES) == [False, False]

    page.locator("a[href='#inside']").first.click()
    page.wait_for_function("inside.getBoundingClientRect().top < 300")
    assert page.evaluate(STATES) == [True, False]
    page.locator("#why .ac-deeper > summary").click(position={"x": 20, "y": 12})
    assert page.evaluate(STATES) == [False, False]
    page.locator("a[href='#inside']").first.click()  # the address is the same as before
    page.wait_for_function("document.querySelector('details.ac-deeper').open")


@pytest.mark.browser
def test_a_figure_in_a_fold_is_drawn_when_it_is_opened_and_in_the_theme_of_then(page, book):
    page.goto(address(book))
    figure = page.locator(".ac-deeper figure")
    assert figure.get_attribute("data-ac-state") is None
    page.locator("#why .ac-deeper > summary").focus()
    page.keyboard.press("Enter")
    figure.scroll_into_view_if_needed()
    drawn = ".ac-deeper figure[data-ac-state=drawn] svg.main-svg"
    page.wait_for_selector(drawn, state="attached")
    assert page.evaluate(f"document.querySelector('{drawn}').clientWidth") > 300

    page.keyboard.press("Enter")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 700, "height": 740})
    page.wait_for_timeout(300)
    page.keyboard.press("Enter")
    page.wait_for_function(f"document.querySelector('{drawn}').clientWidth > 400")
    grid = f"getComputedStyle(document.querySelector('{drawn} .ytick text')).fill"
    assert page.evaluate(grid) == "rgb(233, 231, 226)"


@pytest.mark.browser
@pytest.mark.parametrize(
    ("word", "deeper", "answer"),
    [("zanzibar", [True, False], False), ("quagga", [False] * 2, True)],
)
def test_a_word_that_was_searched_for_opens_its_fold(page, book, word, deeper, answer):
    page.goto(address(book, f"?highlight={quote(word)}"))
    page.wait_for_selector(f"span.highlighted:has-text('{word}')")
    assert page.evaluate(STATES) == deeper
    opened = "document.querySelector('#two > details').open"
    assert page.evaluate(opened) == answer
