"""Numbers are typed as people write them, and what they are taken for is said first."""

import inspect
import re
from pathlib import Path

import pytest
from built_site import SITE
from frames import settled
from widget_kinds import KINDS
from widgets_on_pages import Instance, come_alive, instances, place_of, states_of

pytestmark = pytest.mark.browser
PAGE = "book/transformer/scaling.html"
TYPED = {
    "8.5": "8.5",
    "8,5": "8.5",
    "1/8": "0.125",
    "−2^3": "−8",
    "1e1": "10",
    "1·10^-3": "0.001",
}
INSTANCES = instances()
FIELD = "input[aria-describedby*='taken']"
MAKES_FIELD = re.compile(r"\bnumberField\(|\bnumberControl\(|\bentry: true|spinbutton")


def with_field() -> list[Instance]:
    """One widget of each class whose own script makes a field for a number."""
    found = {}
    for one in INSTANCES:
        folder = Path(inspect.getfile(KINDS[one.kind].its_class)).parent
        script = "".join(path.read_text("utf-8") for path in folder.glob("*.js"))
        if one.kind != "Prediction" and MAKES_FIELD.search(script):
            found[one.kind, one.form] = one
    return [*found.values()]


WITH_FIELD = with_field() if SITE.is_dir() else []


@pytest.fixture
def asked(page, home):
    """The first question of a page that is answered by a number."""
    states = states_of((SITE / PAGE).read_text("utf-8"))
    own = next(
        i for i in INSTANCES if (i.page, i.kind, i.form) == (PAGE, "Prediction", "number")
    )
    page.goto(home + PAGE)
    return come_alive(page, own.model_id), states[own.model_id]["unit"]


def test_a_guess_is_read_as_it_is_written_and_that_is_shown_before_it_counts(asked):
    place, unit = asked
    field = place.get_by_label("Your guess")
    for text, taken in TYPED.items():
        field.press_sequentially(text)
        said = place.locator(".ac-taken").inner_text()
        assert said == ("" if text == taken else f"= {taken} {unit}".strip())
        field.press("Enter")
        place.get_by_role("button", name="Guess again").wait_for()
        assert f"You said {taken}" in place.locator(".ac-readout").inner_text()
        place.get_by_role("button", name="Guess again").press("Enter")
        field.fill("")


@pytest.mark.parametrize("text", ["8;5", "1,000", "eight"])
def test_what_cannot_be_read_is_said_and_stays(asked, text):
    place, _ = asked
    field = place.get_by_label("Your guess")
    field.press_sequentially(text)
    place.get_by_role("button", name="Guess", exact=True).click()
    assert text in place.locator(".ac-taken").inner_text()
    assert field.input_value() == text
    assert place.get_by_role("button", name="Guess", exact=True).is_visible()


@pytest.mark.parametrize("widget", WITH_FIELD, ids=str)
def test_every_field_of_a_widget_takes_a_fraction_and_steps_by_arrows(page, home, widget):
    page.goto(home + widget.page)
    place = come_alive(page, widget.model_id)
    fields = place.locator(FIELD).filter(visible=True).all()
    assert fields
    for field in fields:
        before = field.input_value()
        for text, taken in (("2^3", "8"), ("9/3", "3"), ("1 0", None), ("1e99", None)):
            field.fill("")
            field.press_sequentially(text)
            note = page.locator(f"#{field.get_attribute('aria-describedby').split()[-1]}")
            assert note.inner_text().startswith(f"= {taken}" if taken else f"“{text}”")
        assert re.search(r"“1e99” does not fit: write a .*number between", note.inner_text())
        field.press("Enter")
        settled(place)
        assert place.locator(".ac-error").all_inner_texts() in ([], [""])
        field.fill("4")
        field.press("ArrowUp")
        assert field.input_value() == "5"
        field.fill(before)
        field.press("Enter")
        settled(place_of(page, widget.model_id))
