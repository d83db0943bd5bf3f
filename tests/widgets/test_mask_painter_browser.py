"""The mask painter in Chromium, on a bare page: by mouse, by finger, by keyboard."""

import re

import pytest
from frames import frames

from attention_course.reference.transformer.mask_errors import RULES
from attention_course.widgets import MaskPainter
from attention_course.widgets.mask_painter.widget import PRESETS

pytestmark = pytest.mark.browser

SHOWN = """() => Object.fromEntries([...document.querySelectorAll("[data-readout]")]
    .map((e) => [e.dataset.readout, Number(e.dataset.value)]))"""


@pytest.fixture
def painter(show):
    return lambda width=1000, theme="light", touch=False, **state: show(
        MaskPainter(**state), size=(width, 1000), theme=theme, touch=touch
    )


def mask_of(page):
    frames(page)
    return page.evaluate("window.model.get('mask')")


def centre(page, i, j):
    box = page.locator(f".ac-mask-cell[data-row='{i}'][data-column='{j}']").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def wanted(page):
    state = {name: page.evaluate(f"model.get('{name}')") for name in MaskPainter._state}
    return MaskPainter.described(MaskPainter(**state).stored())["readouts"]


@pytest.mark.parametrize("mask", ["causal", "front"])
@pytest.mark.parametrize("rule", RULES)
def test_what_is_shown_is_the_references(painter, rule, mask):
    page = painter(rule=rule, mask=mask, output=1)
    seen, right = page.evaluate(SHOWN), wanted(page)
    assert seen.keys() == right.keys()
    assert seen == pytest.approx(right, rel=1e-9, abs=1e-12)


def test_a_press_of_the_mouse_turns_one_cell(painter):
    page = painter()
    page.mouse.click(*centre(page, 0, 3))
    assert mask_of(page)[0] == [1, 0, 0, 1, 0, 0]
    page.mouse.click(*centre(page, 0, 3))
    assert mask_of(page) == PRESETS["causal"]


def test_drawing_over_several_cells_gives_them_all_the_first_ones_new_value(painter):
    page = painter()
    page.mouse.move(*centre(page, 1, 5))
    page.mouse.down()
    page.mouse.move(*centre(page, 1, 1), steps=25)
    page.mouse.up()
    page.mouse.move(*centre(page, 4, 1), steps=10)  # the button is up: nothing more happens
    assert mask_of(page)[1] == [1, 1, 1, 1, 1, 1]
    assert mask_of(page)[2:] == PRESETS["causal"][2:]


def test_arrow_keys_walk_and_space_paints(painter):
    page = painter()
    page.locator(".ac-mask-cell[tabindex='0']").focus()
    for key in ("ArrowUp", "ArrowRight", "ArrowRight", "ArrowDown", "Space"):
        page.keyboard.press(key)
    assert mask_of(page)[1] == [1, 1, 1, 0, 0, 0]
    assert page.locator(".ac-mask-cell[tabindex='0']").count() == 1


def test_a_painted_mask_is_called_so_and_a_preset_brings_its_name_back(painter):
    page = painter()
    chosen = "e => e.selectedOptions[0].textContent"
    names = page.locator("select").first
    page.mouse.click(*centre(page, 0, 5))
    frames(page)
    assert names.evaluate(chosen) == "painted by hand"
    names.select_option(label="causal, window")
    assert mask_of(page) == PRESETS["window"]
    assert names.evaluate(chosen) == "causal, window"


def test_a_cell_says_what_it_is_and_not_by_colour_alone(painter):
    page = painter(rule="infinite", mask="front")
    cell = page.locator(".ac-mask-cell").first
    assert cell.get_attribute("aria-pressed") == "false"
    assert cell.get_attribute("aria-label") == (
        "query 1, key 1: may not see, weight not a number"
    )
    assert cell.text_content() == "NaN"
    assert "Outputs 1 and 2 are not a number." in page.locator(".ac-readout").text_content()
    said = painter(token=5, output=3).locator(".ac-readout").text_content()
    assert re.match("Token 5 .*: outputs 5 and 6 move, .* output 3 reaches inputs 1, 2", said)
