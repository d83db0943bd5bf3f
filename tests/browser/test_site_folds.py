"""Folds: what they hide, what they say, and what opens them."""

import re
from html import unescape

import nbformat
import pytest
from built_site import ROOT, SITE
from page_gates import Visit, none

pytestmark = pytest.mark.browser
PAGE = "book/why/rnn-bottleneck.html"
NOTEBOOK = nbformat.read((ROOT / PAGE).with_suffix(".ipynb"), 4)
FOLD = "twice-the-tokens-twice-the-width-and-how-the-second-reader-searches"
FIGURE = "fig-full-and-contracting"
LINK, TARGET = "a[href='#second-reader']", "document.getElementById('second-reader')"
OPEN = """() => [...document.querySelectorAll("details.ac-deeper[open]")]
  .map((e) => e.parentElement.id)"""
# A word that stands in one of some folds and nowhere else in the article.
OWN = r"""(css) => {
  const words = (e) => e.innerText.toLowerCase().match(/\p{L}{6,}/gu);
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const all = words(document.querySelector("article"));
  const times = (list, word) => list.filter((one) => one.includes(word)).length;
  return [...document.querySelectorAll(css)].map(words).map((inside) =>
    inside?.find((word) => times(all, word) === times(inside, word))).find(Boolean);
}"""


def text_of(name):
    return (SITE / name).read_text(encoding="utf-8")


def test_a_fold_is_its_section_and_no_entry_of_the_section_list():
    page = text_of(PAGE)
    fold = re.search(rf'<section id="{FOLD}">\s*(<span.*?)?<details.*?</h3>', page, re.DOTALL)
    assert "Going deeper:</span> <h3>" in fold[0]
    here = page.split('class="ac-here"')[1].split("<article")[0]
    assert "#exercises" in here
    assert FOLD not in here


def test_of_plumbing_the_result_stands_and_the_notebook_has_its_code():
    article = text_of(PAGE).split("<article")[1].split("</article>")[0]
    shown = unescape(re.sub(r"<[^>]+>", "", article))
    cells = [c for c in NOTEBOOK.cells if c.cell_type == "code" and "\n" in c.source]
    found = {"hide-input": [], "setup": [], "": []}
    for cell in cells:
        found[next((t for t in found if t in cell.metadata.get("tags", [])), "")].append(cell)
    for tag, group in found.items():
        assert group
        assert {cell.source in shown for cell in group} == {not tag}, tag
    link = re.search(r'href="([^"]*)" download>Notebook', text_of(PAGE))[1]
    assert nbformat.read((SITE / PAGE).parent / link, 4).cells == NOTEBOOK.cells


@pytest.fixture
def page(new_context, home):
    page = new_context(width=360).new_page()
    visit = Visit(page, home)
    page.goto(home + PAGE)
    yield page
    none(visit.console)


def test_folds_are_closed_until_an_anchor_opens_them(page):
    assert page.evaluate(OPEN) == []
    page.locator(LINK).first.click()
    page.wait_for_function(f"{TARGET}.getBoundingClientRect().top < 300")
    assert page.evaluate(OPEN) == [FOLD]
    page.locator(f"#{FOLD} .ac-deeper > summary").click(position={"x": 20, "y": 12})
    assert page.evaluate(OPEN) == []
    page.locator(LINK).first.click()  # the address is the same as before
    page.wait_for_function(f"({OPEN})().length")


def test_a_figure_in_a_fold_is_drawn_when_it_is_opened_and_in_the_theme_of_then(page):
    assert page.locator(f"#{FIGURE}").get_attribute("data-ac-state") is None
    summary = page.locator(f"#{FOLD} .ac-deeper > summary")
    summary.press("Enter")
    page.locator(f"#{FIGURE}").scroll_into_view_if_needed()
    drawn = f"#{FIGURE}[data-ac-state=drawn] svg.main-svg"
    page.wait_for_selector(drawn, state="attached")
    width = f"document.querySelector('{drawn}').clientWidth"
    assert page.evaluate(width) > 300
    summary.press("Enter")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 700, "height": 740})
    page.wait_for_timeout(300)
    summary.press("Enter")
    page.wait_for_function(f"{width} > 400")
    grid = f"getComputedStyle(document.querySelector('{drawn} .ytick text')).fill"
    assert page.evaluate(grid) == "rgb(233, 231, 226)"


@pytest.mark.parametrize("css", [f"#{FOLD} > details", "#exercises details"])
def test_a_word_that_was_searched_for_opens_its_fold(page, home, css):
    page.wait_for_function("globalThis.acSettled")  # what waits has no text
    word = page.evaluate(OWN, css)
    page.goto(f"{home}{PAGE}?highlight={word}")
    page.locator(f"{css} span.highlighted").first.wait_for()
    assert page.evaluate(OPEN) == [FOLD][: FOLD in css]
