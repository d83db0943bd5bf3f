"""Numbers are typed as people write them, and what they are taken for is said first."""

import pytest
from built_site import SITE
from widgets_on_pages import come_alive, instances, states_of

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
