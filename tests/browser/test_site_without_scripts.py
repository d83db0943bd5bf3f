"""Without JavaScript every figure and widget leaves a sentence and a picture or a table."""

import re

import pytest
from built_site import PAGES, SITE
from page_gates import none

pytestmark = pytest.mark.browser

PLACES = ".ac-widget[data-model-id], figure.ac-figure"
LEFT = """(place) => ({
  key: place.dataset.acKey ?? place.id ?? "",
  words: place.innerText,
  tables: [...place.querySelectorAll("table")].map((t) => t.rows.length),
  reachable: [...place.querySelectorAll("table, svg, img")].some(
    (e) => e.checkVisibility() || e.closest("details")?.querySelector("summary")
      ?.checkVisibility()),
})"""


def _left(page) -> list[dict]:
    return [place.evaluate(LEFT) for place in page.locator(PLACES).all()]


def incomplete(left: list[dict]) -> list[str]:
    """Which figures and widgets leave no sentence, or neither picture nor table."""
    complaints = []
    for place in left:
        if not re.search(r"\w[^.?!]{20,}[.?!]", place["words"]):
            complaints.append(f"{place['key']}: no sentence in {place['words']!r}")
        if not place["reachable"]:
            complaints.append(f"{place['key']}: neither a picture nor a table")
    return complaints


@pytest.mark.parametrize("name", PAGES)
def test_a_page_without_scripts_keeps_its_words_and_numbers(new_context, home, name):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(home + name)
    none(incomplete(_left(page)))


def test_there_is_something_to_lose():
    text = "".join((SITE / name).read_text(encoding="utf-8") for name in PAGES)
    assert len(re.findall(r'class="[^"]*ac-widget', text)) >= 3
    assert len(re.findall(r'<figure class="[^"]*ac-figure', text)) >= 3


@pytest.mark.parametrize(
    ("defect", "words"),
    [
        ('<div class="ac-widget" data-model-id="1" data-ac-key="lab"></div>', "no sentence"),
        (
            '<figure class="ac-figure"><p>The entropy falls as the width grows.</p></figure>',
            "neither",
        ),
        (
            '<figure class="ac-figure"><p>The entropy falls as the width grows.</p>'
            "<table hidden><tr><td>1</td></tr></table></figure>",
            "neither",
        ),
    ],
)
def test_a_place_that_leaves_nothing_is_noticed(new_context, defect, words):
    page = new_context(java_script_enabled=False).new_page()
    page.set_content(defect)
    assert any(words in complaint for complaint in incomplete(_left(page)))


@pytest.mark.parametrize("name", PAGES)
def test_mathematics_needs_no_script(new_context, home, name):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(home + name)
    for formula in page.locator(".math").all():
        assert formula.locator(".katex").count() >= 1
    assert "\\(" not in page.locator("article, main").first.inner_text()
