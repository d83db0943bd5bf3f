"""While a prediction is open and on the screen, what follows it cannot be read."""

import pytest
from built_site import read_through
from page_gates import none

pytestmark = pytest.mark.browser
PAGE = "book/recurrent/gnmt-and-lstmn.html"
KEY = "predict-without-additions-how-much-smaller"
ASKED = '.ac-widget[data-ac-key^="predict-"]'
TOP = """(e) => { e.scrollIntoView({ block: "start", behavior: "instant" });
  scrollBy({ top: -70, behavior: "instant" }); }"""
BELOW = """(place) => {
  const cell = place.closest("div.cell"), found = [];
  for (let e = cell.nextElementSibling; e; e = e.nextElementSibling) {
    if (e.matches("section, [data-ac-asks]")) break;
    if (e.getBoundingClientRect().height) {
      found.push([e.innerText.slice(0, 60), getComputedStyle(e).filter !== "none"]);
    }
  }
  return found; }"""


def readable(place) -> list[str]:
    """What of the text between a prediction and the next can be read."""
    return [text for text, blurred in place.evaluate(BELOW) if not blurred]


def blurred(place) -> list[str]:
    """What of it cannot."""
    return [text for text, blurred in place.evaluate(BELOW) if blurred]


@pytest.fixture
def asked(request, new_context, home):
    """A page, and a prediction on it with a chart below whose title tells the answer."""
    page = new_context(getattr(request, "param", 360)).new_page()
    page.goto(home + PAGE)
    place = page.locator(f'.ac-widget[data-ac-key^="{KEY}"]')
    place.evaluate(TOP)
    place.get_by_role("button", name="Show me").wait_for()
    place.evaluate(TOP)  # what came to life above has moved it
    title = page.locator(".ac-title", has_text="Without residuals").first
    assert title.evaluate("(e) => e.getBoundingClientRect().top < innerHeight")
    return page, place


@pytest.mark.parametrize("asked", [360, 1280], indirect=True)
def test_an_open_question_leaves_nothing_to_read_below_it_and_all_on_paper(asked):
    page, place = asked
    assert any("Without residuals" in text for text in blurred(place))
    none(readable(place))
    page.emulate_media(media="print")
    none(blurred(place))
    page.emulate_media(media="screen")
    page.add_style_tag(content="* { filter: none !important }")  # the check notices it
    assert any("Without residuals" in text for text in readable(place))


def test_showing_the_answer_clears_it(asked):
    _, place = asked
    place.get_by_role("button", name="Show me").press("Enter")
    none(blurred(place))


def test_reading_on_clears_it(asked):
    page, place = asked
    page.evaluate("scrollBy({ top: 800, behavior: 'instant' })")
    page.wait_for_timeout(300)
    place.evaluate(TOP)
    page.wait_for_timeout(100)
    none(blurred(place))


def test_a_click_clears_it_and_does_nothing_else(asked):
    page, place = asked
    before = page.url
    page.locator(".ac-title", has_text="Without residuals").first.click()
    none(blurred(place))
    assert page.url == before


def test_whoever_has_read_the_page_finds_all_of_it_clear(asked):
    page, _ = asked
    assert page.locator(ASKED).count() >= 3
    read_through(page)
    places = page.locator(ASKED).all()
    none([text for each in places for text in blurred(each)])
