"""explore and the temperature in Chromium, on a bare page: keyboard, links, playing."""

import numpy as np
import pytest
from frames import frames

from attention_course.drawing.plots import heatmap, lines
from attention_course.reference import softmax
from attention_course.widgets import Temperature
from attention_course.widgets.explorer import explore

pytestmark = pytest.mark.browser


WORDS = {"x_title": "step", "y_title": "kept"}


def decay(width, power):
    x = np.arange(1, 6)
    kept = {"GRU": np.exp(-x / width) ** power}
    figure = lines(x, kept, title="Memory fades", **WORDS)
    return figure, f"width {width}, power {power}."


def weights(scale):
    z = softmax(np.random.RandomState(0).standard_normal((3, 4)) * scale)
    return heatmap(z, title="Weights", x_title="column", y_title="row")


def made(**more):
    return explore(decay, width=[16, 32, 64], power=[1, 2], **more)


def words(page):
    frames(page)
    return page.text_content(".ac-readout")


def test_the_picture_is_read_by_arrow_keys_and_as_a_table(show):
    page = show(made())
    chart = page.get_by_role("group", name="Chart: Memory fades")
    chart.press("End")
    assert page.text_content(".ac-chart-tip") == "50.732"  # step 5, exp(-5/16)
    chart.press("ArrowLeft")
    assert page.text_content("[aria-live].ac-offscreen >> nth=0").startswith(
        "step 4: GRU 0.779"
    )
    chart.press("Escape")
    assert not page.locator(".ac-chart-tip").is_visible()
    page.locator("summary").press("Enter")
    page.wait_for_selector(".ac-chart-table")
    rows = page.locator(".ac-chart-table tbody tr").all_text_contents()
    assert rows[-1] == "50.732"
    page.get_by_label("width").press("End")
    frames(page)
    assert page.locator(".ac-chart-table tbody tr").all_text_contents()[-1] == "50.925"


def test_a_link_carries_the_choice_in_words(show):
    page = show(made(), hash_="#decay?width=64&power=2")
    assert words(page) == "width 64, power 2."


@pytest.mark.parametrize("hash_", ["#decay?width=63", "#decay?power=maybe"])
def test_a_bad_link_says_so(show, hash_):
    page = show(made(), hash_=hash_)
    frames(page)
    assert "must be one of" in page.text_content(".ac-error")
    page.get_by_role("button", name="Reset").press("Enter")
    assert words(page) == "width 16, power 1."
    assert not page.locator(".ac-error").is_visible()


def plays(**more):
    return made(play="width", **more)


def test_play_goes_from_the_first_stop_to_the_last_and_starts_again(show):
    page = show(plays())
    assert words(page) == "width 16, power 1."
    play = page.get_by_role("button", name="Play")
    play.press("Enter")
    assert words(page) == "width 32, power 1."  # the first step is at once
    assert page.get_by_role("button", name="Pause").count() == 1
    page.wait_for_function("model.get('chosen').width === 64")
    assert words(page) == "width 64, power 1."
    play.wait_for()  # at its end, it can be played again
    play.press("Space")
    assert words(page) == "width 16, power 1."
    page.wait_for_function("model.get('chosen').width === 32")


def test_playing_stops_when_the_reader_moves_the_slider(show):
    page = show(explore(decay, width=list(range(1, 12)), power=[1, 2], play="width"))
    page.get_by_role("button", name="Play").click()
    page.get_by_label("width").press("End")
    page.get_by_role("button", name="Play").wait_for()
    before = page.evaluate("model.get('chosen')")
    page.wait_for_timeout(900)
    assert page.evaluate("model.get('chosen')") == before


def test_who_wants_less_motion_takes_each_step_by_hand(show):
    page = show(plays(), motion="reduce")
    assert page.get_by_text("there is no Play: press Next").is_visible()
    step = page.get_by_role("button", name="Next")
    seen = []
    for _ in range(3):
        step.press("Enter")
        seen.append(words(page))
    assert [said.split(",")[0] for said in seen] == ["width 32", "width 64", "width 16"]
    page.wait_for_timeout(900)
    assert words(page) == seen[-1]


@pytest.mark.parametrize("size", [(360, 740), (1280, 900)])
@pytest.mark.parametrize(
    "widget", [lambda: explore(weights, scale=[1, 2, 4]), Temperature, made, plays]
)
def test_nothing_is_wider_than_the_page(show, size, widget):
    page = show(widget(), size=size)
    inside = "document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(inside)
    page.locator("summary").press("Enter")
    page.wait_for_selector(".ac-chart-table")
    assert page.evaluate(inside)
