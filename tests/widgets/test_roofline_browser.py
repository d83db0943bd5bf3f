"""The roofline in Chromium, on a bare page: controls, question, sentence, narrow and dark."""

import pytest
from frames import frames

from attention_course.widgets import Roofline
from attention_course.widgets.roofline.widget import CEILING_NAMES

pytestmark = pytest.mark.browser

POINT = {
    "name": "a kernel",
    "device": "H100 SXM",
    "dtype": "bfloat16",
    "variant": "tiled",
    "n": 8192,
    "d": 128,
    "heads": 16,
    "tflops": 500.0,
    "source": "Somebody (2024), table 1.",
}


def state_of(page):
    names = list(Roofline._state)
    return page.evaluate(
        "(names) => Object.fromEntries(names.map((n) => [n, window.model.get(n)]))", names
    )


def numbers_of(page):
    cells = (
        "(cells) => Object.fromEntries(cells.map((c) => [c.dataset.readout, c.dataset.value]))"
    )
    found = page.locator("[data-readout]").evaluate_all(cells)
    return {name: float(value) for name, value in found.items()}


def tells_the_truth(page):
    frames(page)
    said = Roofline.described(Roofline(**state_of(page)).stored())
    assert page.locator(".ac-readout").text_content() == said["sentence"]
    assert numbers_of(page) == pytest.approx(said["readouts"], rel=1e-12)


def test_the_question_is_answered_by_what_is_computed_and_shown(show):
    page = show(Roofline(device="T4", n=128))
    forms = page.locator(".ac-roof-forms")  # it would give the answer
    assert not forms.is_visible()
    page.get_by_role("button", name="65 times").press("Enter")
    assert forms.is_visible()
    answer = page.locator(".ac-roof-answer")
    assert answer.text_content().startswith("No: 4.7 times.")
    assert state_of(page)["device"] == "H100 SXM"
    tells_the_truth(page)
    page.get_by_role("button", name="5 times", exact=True).press("Enter")
    assert answer.text_content().startswith("Yes: 4.7 times.")
    page.get_by_role("button", name="Reset").press("Enter")
    assert answer.text_content() == ""


def test_a_format_that_a_device_lacks_is_said_and_nothing_breaks(show):
    page = show(Roofline(device="T4"))
    tells_the_truth(page)
    assert "a T4 has no bfloat16" in page.locator(".ac-readout").text_content()
    assert page.locator("[role=alert]:visible").count() == 0
    assert not [name for name in numbers_of(page) if name.startswith(("time-", "seconds-"))]


def test_measured_points_are_drawn_where_they_belong_and_named_as_others(show):
    page = show(Roofline(points=[POINT, POINT | {"n": 4096, "name": "another"}]))
    listed = page.locator(".ac-roof-measured li")
    assert listed.all_text_contents() == [
        "TFLOP/s at this n: a kernel 500. Somebody (2024), table 1."
    ]
    assert "measured; stronger" in page.locator(".ac-roof-key").text_content()
    crosses = page.locator(".ac-chart-marker").count()
    page.get_by_label("Causal").press("Space")
    frames(page)
    assert page.locator(".ac-chart-marker").count() == crosses - 2
    assert listed.count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(show, theme):
    page = show(Roofline(variant="training", device="Laptop CPU"), size=(360, 780), theme=theme)
    page.get_by_role("checkbox", name="Causal").check()  # a change shows every table
    page.locator(".ac-roof-forms").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    cells = page.locator(".ac-roof-forms :is(th, td), .ac-roof-ceilings :is(th, td)")
    wide = "(cells) => cells.filter((c) => c.scrollWidth > c.clientWidth + 1).length"
    assert cells.evaluate_all(wide) == 0
    names = [name.removeprefix("the ") for name in CEILING_NAMES.values()]
    assert page.locator(".ac-roof-ceilings tbody th").all_text_contents() == names
