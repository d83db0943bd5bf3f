"""What helps a reader along: time, place, margin notes, what a page says of itself."""

import re

import pytest
from small_book import build, code, text

from attention_course.site.main_path import reading_minutes

pytestmark = pytest.mark.thorough
LONG = "\n\n".join(["word " * 200] * 4)
WORDS = " ".join(["word"] * 3000)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    door = [
        text(
            "# A small book\n\nWhat it is.\n\n| chapter | time |\n|---|---|\n"
            "| [Page](page.ipynb) | 20 min |\n\n"
            "- **[Page](page.ipynb)**: about 30 minutes\n- Tea: 4 min\n"
        )
    ]
    cells = [
        text(r"# Page" + "\n\n" + r"Why $\sqrt{d_k}$? **It** grows."),
        text(f"## One\n\n> **Aside.** A *short* note.\n\n{LONG}"),
        text(f"## Two\n\n> A quotation.\n\n{LONG}{WORDS}"),
        code("x = '" + "long " * 30 + "'"),
        text(f"## Three\n\n{LONG}"),
    ]
    return build(tmp_path_factory.mktemp("reading"), {"index": door, "page": cells})


def test_the_strict_build_succeeds(book):
    assert book.code == 0, book.log


def test_only_the_main_path_takes_time():
    words = text("word " * 2000)
    aside = [
        text(WORDS, "deeper"),
        text(f"<details><summary>Why</summary>\n\n{WORDS}\n\n</details>"),
        text(f"<!-- {WORDS} -->"),
        code("\n".join(["x = 1"] * 400), "setup"),
        code("\n".join(["x = 1"] * 400), "hide-input"),
        text(f"## Exercises\n\n{WORDS}"),
    ]
    assert reading_minutes([words]) == 10
    assert reading_minutes([words, *aside]) == 10
    assert reading_minutes([words, code("\n".join(["x = 1"] * 400))]) == 30


def test_a_chapter_says_its_time_and_so_does_the_list_of_chapters(book):
    minutes = re.search(r'<p class="ac-time">About (\d+) minutes', book.page("page"))[1]
    door = book.page("index")

    assert minutes == "25"
    assert f"{minutes} min" in door
    assert f"about {minutes} minutes" in door
    assert "Tea: 4 min" in door
    assert "ac-time" not in door


@pytest.mark.gate("site: times of chapters", "a list that says 5 minutes of a long chapter")
def test_a_wrong_time_turns_the_build_red(tmp_path):
    door = [text("# Door\n\n- [Page](page.ipynb), 5 min\n")]
    built = build(tmp_path, {"index": door, "page": [text(f"# Page\n\n{WORDS}")]})

    assert built.code != 0
    assert sum("says 5 minutes where the chapter takes 15" in w for w in built.warnings) == 1


def test_a_page_says_once_what_it_is(book):
    page, door = book.page("page"), book.page("index")

    assert page.count('name="viewport"') == 1
    assert page.count('name="description" content="Why √d_k? It grows."') == 1
    assert "<title>Page &#8212; A small book</title>" in page
    assert "<title>A small book</title>" in door
    assert 'name="description" content="What it is."' in door


@pytest.fixture
def at(browser, book):
    contexts = []

    def go(width):
        size = {"width": width, "height": 800}
        contexts.append(browser.new_context(viewport=size))
        page = contexts[-1].new_page()
        page.goto((book.html / "book" / "page.html").as_uri())
        return page

    yield go
    for context in contexts:
        context.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "seen"), [(1280, ".ac-here"), (1680, ".ac-sections")])
def test_the_reader_sees_one_list_of_sections_and_the_place_in_it(at, width, seen):
    page = at(width)
    lists = page.locator(".ac-here, .ac-sections > ul")
    assert [i for i in range(2) if lists.nth(i).is_visible()] == [int(seen != ".ac-here")]
    for name in ("Two", "One", "Three"):
        page.evaluate(f"document.getElementById('{name.lower()}').scrollIntoView()")
        marked = page.locator(f"{seen} a[aria-current=true]")
        page.wait_for_function(
            "([css, name]) => document.querySelector(css)?.textContent.trim() === name",
            arg=[f"{seen} a[aria-current=true]", name],
        )
        assert marked.count() == 1


@pytest.mark.browser
@pytest.mark.parametrize(("width", "beside"), [(360, False), (768, False), (1280, True)])
def test_a_note_stands_in_the_margin_where_there_is_one(at, width, beside):
    page = at(width)
    note = page.locator("aside.ac-margin")
    assert note.inner_text() == "A short note."
    text_ends = page.locator("#one > p").first.bounding_box()
    assert (note.bounding_box()["x"] >= text_ends["x"] + text_ends["width"]) == beside
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("blockquote").count() == 1


@pytest.mark.browser
def test_code_is_smaller_on_a_phone_and_its_edge_is_shaded(at):
    sizes = {}
    for width in (360, 1280):
        pre = at(width).locator("pre").first
        sizes[width] = pre.evaluate("(e) => parseFloat(getComputedStyle(e).fontSize)")
        assert "gradient" in pre.evaluate("(e) => getComputedStyle(e).backgroundImage")
    assert sizes[360] < sizes[1280]
