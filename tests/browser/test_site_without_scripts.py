"""Without JavaScript every figure and widget leaves a sentence and a picture or a table."""

import re

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


def incomplete(left: list[dict]) -> list[str]:
    """Which figures and widgets leave no sentence, or neither picture, table nor fold."""
    complaints = []
    for place in left:
        if not re.search(r"\w[^.?!]{20,}[.?!]", place["words"]):
            complaints.append(f"{place['key']}: no sentence in {place['words']!r}")
        if not place["reachable"]:
            complaints.append(f"{place['key']}: neither a picture nor a table")
    return complaints


OPEN = "(all) => all.forEach((fold) => { fold.open = true; })"  # as a reader does
UNSET = "(all) => all.filter((e) => !e.querySelector('.katex')).length"


@pytest.mark.each_page
@pytest.mark.parametrize("name", PAGES)
def test_a_page_without_scripts_keeps_its_words_its_numbers_and_its_mathematics(
    new_context, home, name
):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(home + name)
    page.locator("details.ac-deeper").evaluate_all(OPEN)
    none(incomplete(page.locator(PLACES).evaluate_all(f"(all) => all.map({LEFT})")))
    assert page.locator(".math").evaluate_all(UNSET) == 0
    assert "/scaling" not in name or page.locator(".math").count() > 60
    assert "\\(" not in page.locator("article, main").first.inner_text()
