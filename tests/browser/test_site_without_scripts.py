"""Without JavaScript every figure and widget leaves a sentence and a picture or a table."""

import functools
import re
from dataclasses import dataclass

import pytest
from built_site import PAGES
from page_gates import none

pytestmark = pytest.mark.browser

PLACES = ".ac-widget[data-model-id], figure.ac-figure"
LEFT = """(place) => ({
  key: place.dataset.acKey ?? place.id ?? "",
  words: place.innerText,
  tables: [...place.querySelectorAll("table")].map((t) => t.rows.length),
  reachable: [...place.querySelectorAll("table, svg, img, details > p")].some(
    (e) => e.checkVisibility() || e.closest("details")?.querySelector("summary")
      ?.checkVisibility()),
})"""


def _left(page) -> list[dict]:
    return page.locator(PLACES).evaluate_all(f"(all) => all.map({LEFT})")


def incomplete(left: list[dict]) -> list[str]:
    """Which figures and widgets leave no sentence, or neither picture, table nor fold."""
    complaints = []
    for place in left:
        if not re.search(r"\w[^.?!]{20,}[.?!]", place["words"]):
            complaints.append(f"{place['key']}: no sentence in {place['words']!r}")
        if not place["reachable"]:
            complaints.append(f"{place['key']}: neither a picture nor a table")
    return complaints


@dataclass
class Plain:
    """What a page leaves without JavaScript."""

    left: list[dict]
    formulas: int
    unset: int
    words: str


OPEN = "(all) => all.forEach((fold) => { fold.open = true; })"  # as a reader does
FORMULAS = "(all) => [all.length, all.filter((e) => !e.querySelector('.katex')).length]"


@pytest.fixture(scope="module")
def plain(browser, home):
    """Opens a page without scripts once, for all the tests that look at it."""

    @functools.cache
    def open_page(name: str) -> Plain:
        with browser.new_context(java_script_enabled=False) as context:
            page = context.new_page()
            page.goto(home + name)
            page.locator("details.ac-deeper").evaluate_all(OPEN)
            formulas = page.locator(".math").evaluate_all(FORMULAS)
            words = page.locator("article, main").first.inner_text()
            return Plain(_left(page), *formulas, words)

    yield open_page
    open_page.cache_clear()


@pytest.mark.each_page
@pytest.mark.parametrize("name", PAGES)
def test_a_page_without_scripts_keeps_its_words_its_numbers_and_its_mathematics(plain, name):
    none(incomplete(plain(name).left))
    assert plain(name).unset == 0
    assert "\\(" not in plain(name).words


def test_there_is_mathematics(plain):
    assert sum(plain(n).formulas for n in PAGES) >= 830
