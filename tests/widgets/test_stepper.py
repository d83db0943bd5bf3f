"""The stepper: its examples, its still, and in Chromium its keys, its numbers and its words."""

import importlib
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

from attention_course.drawing._models import DRAWINGS
from attention_course.reference import scaled_dot_product_attention
from attention_course.widgets.stepper import Stepper
from attention_course.widgets.stepper.examples import EXAMPLES
from attention_course.widgets.stepper.values import torch_draws
from attention_course.widgets.stepper.words import fill

NAMES = list(EXAMPLES)


def test_examples_have_drawings_of_their_names():
    assert EXAMPLES.keys() <= DRAWINGS.keys()


def test_the_six_words_are_those_that_torch_draws():
    torch = pytest.importorskip("torch")
    given = EXAMPLES["self-attention"].inputs
    torch.manual_seed(given["seed"])
    wanted = [torch.nn.Embedding(6, 16)(torch.tensor(given["order"])).detach()]
    torch.manual_seed(given["seed"])
    wanted += [torch.rand(width, 16).T for width in (24, 24, 28)]
    for got, tensor in zip(torch_draws(**given), wanted, strict=True):
        np.testing.assert_allclose(got, tensor.numpy(), atol=2e-6)


def test_the_six_words_have_the_published_weights():
    """Raschka (2023): the second word's, as printed there."""
    numbers = Stepper(example="self-attention").numbers()
    printed = [0.2912, 0.0106, 0.0982, 0.0625, 0.4917, 0.0458]
    np.testing.assert_array_equal(np.round(numbers["weights"], 4), printed)


def test_bahdanaus_old_state_asks_and_luongs_new_one():
    old, new = Stepper(example="bahdanau").numbers(), Stepper(example="luong").numbers()
    assert old["query"] == EXAMPLES["bahdanau"].inputs["s"] != old["state"]
    assert new["before"] == EXAMPLES["luong"].inputs["h"] != new["query"]
    np.testing.assert_allclose(new["scores"], np.array(new["k"]) @ new["query"])


def test_the_time_grid_says_what_its_numbers_are():
    numbers, said = Stepper(example="time-grid").numbers(), EXAMPLES["time-grid"].steps
    bottom, top = np.array(numbers["bottom"]), np.array(numbers["top"])
    layers, words = bottom.shape
    assert bottom.max() == words + layers - 1 == 6  # "plus", "less one"
    assert top.max() == words * layers  # "times"
    assert (top > 6).mean() == 0.5  # "half the cells are still to be done"
    assert (bottom == 3).sum() == (bottom == 4).sum() == layers  # "three layers at once"
    assert said[4].name == f"{(bottom <= 4).sum()} and {(top <= 4).sum()} done"


@pytest.mark.parametrize("name", NAMES)
def test_every_group_of_a_drawing_lights_up_and_every_step_lights_something(name):
    played = EXAMPLES[name]
    widget = Stepper(example=name)
    groups = set(re.findall(r'data-g="([^"]*)"', widget.plan["drawing"]))
    lit = [set(fill(step.lit, widget.numbers()).split()) for step in played.steps]
    # What is there from the start: names of rows and of what comes in.
    assert {g for names in lit for g in names} | {"row", "name"} == groups | {"row", "name"}
    assert all(lit)


@pytest.mark.parametrize("name", NAMES)
def test_it_begins_at_the_beginning_and_shows_more_with_every_step(name):
    widget = Stepper(example=name)
    assert widget.step == 0
    shown = []
    for step in range(len(EXAMPLES[name].steps)):
        widget.step = step
        shown.append(set(widget.readouts()))
    assert all(a <= b for a, b in pairwise(shown))
    assert len(shown[-1]) > len(shown[0])


@pytest.mark.parametrize("name", NAMES)
def test_without_scripts_there_are_a_still_with_numbers_and_every_sentence(name):
    widget = Stepper(example=name)
    still = ET.fromstring(re.search("<svg.*</svg>", widget.fallback)[0])
    texts = [element.text for element in still.iter("text")]
    assert len(still.get("aria-label")) > 100
    assert sum(bool(re.search(r"\d", text or "")) for text in texts) > 10
    assert widget.fallback.count("<li>") == len(EXAMPLES[name].steps)
    assert "{" not in re.sub("<style>.*?</style>", "", widget.fallback)


def test_a_sentence_names_places_that_are_there():
    with pytest.raises(KeyError, match="wieght"):
        fill("{wieght}", {"weight": 1.0})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"example": "five-states"},
            "example must be one of 'four-states', 'self-attention', .*got 'five-states'",
        ),
        ({"step": 7}, "step must be at most 6 in four-states, got 7"),
        ({"step": -1}, "step must be a whole number from 0"),
        ({"word": 1}, "word must be .*, got 1"),
        ({"scale": "cubed"}, "scale must be one of 'none', 'sqrt_d_k', got 'cubed'"),
        ({"speed": 2}, "arguments must be among key, example, step, word, scale"),
    ],
)
def test_a_bad_argument_is_named_with_what_is_expected(given, said):
    with pytest.raises(ValueError, match=f"Stepper: {said}"):
        Stepper(**given)


# In Chromium.

SHOWN = """() => Object.fromEntries([
  ...[...document.querySelectorAll("[data-readout]")]
    .map((e) => [e.dataset.readout, Number(e.dataset.value)]),
  ...[...document.querySelectorAll("[data-vector]")].flatMap((e) =>
    JSON.parse(e.dataset.values).map((x, i) => [`${e.dataset.vector}-${i}`, x]))])"""


def step_of(page):
    importlib.import_module("frames").frames(page)
    return page.evaluate("model.get('step')")


def agrees(page, name):
    """The page shows what the reference says, in numbers and in words."""
    step_of(page)
    state = {key: page.evaluate(f"model.get('{key}')") for key in ("step", "word", "scale")}
    widget = Stepper(example=name, **state)
    seen, wanted = page.evaluate(SHOWN), widget.readouts()
    assert seen.keys() == wanted.keys()
    np.testing.assert_allclose(
        [seen[key] for key in wanted], list(wanted.values()), rtol=1e-9, atol=1e-12
    )
    said = page.locator(".ac-readout").text_content()
    assert said == widget.sentences()[state["step"]]
    assert page.locator(".ac-lit").count()


@pytest.mark.browser
@pytest.mark.parametrize("name", NAMES)
def test_every_step_shows_the_references_numbers(show, name):
    widget = Stepper(example=name)
    page = show(widget, motion="reduce")
    assert step_of(page) == 0
    for step in range(len(EXAMPLES[name].steps)):
        assert step_of(page) == step
        agrees(page, name)
        page.get_by_role("button", name="Forward").press("Enter")
    for control in (page.locator("select"), page.locator(".ac-radio").last):
        if control.count():
            control.press("ArrowUp" if control.locator("option").count() else "Space")
            agrees(page, name)


@pytest.mark.browser
def test_keys_step_and_buttons_stop_at_the_ends(show):
    page = show(Stepper(), motion="reduce")
    last = len(EXAMPLES["four-states"].steps) - 1
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    for key, wanted in (("ArrowRight", 1), ("End", last), ("Home", 0)):
        page.keyboard.press(key)
        assert step_of(page) == wanted
    forward = page.get_by_role("button", name="Forward")
    forward.focus()  # the same keys from a button
    for key, wanted in (("ArrowRight", 1), ("ArrowLeft", 0), ("ArrowLeft", 0), ("End", last)):
        page.keyboard.press(key)
        assert step_of(page) == wanted
    forward.press("Enter")
    assert step_of(page) == last
    assert slider.get_attribute("aria-valuetext") == f"{last} of {last}: Context"


@pytest.mark.browser
def test_it_plays_to_the_end_and_pauses(show):
    page = show(Stepper(), motion="reduce")
    page.clock.install()
    play = page.get_by_role("button", name="Play")
    play.click()
    assert step_of(page) == 1
    assert play.count() == 0
    page.clock.run_for(4100)
    assert step_of(page) == 2
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(20_000)
    assert step_of(page) == 2
    play.click()
    page.clock.run_for(60_000)
    assert step_of(page) == len(EXAMPLES["four-states"].steps) - 1
    play.click()  # from the beginning again
    assert step_of(page) == 0
    page.clock.run_for(4100)
    page.get_by_role("button", name="Reset").click()
    page.clock.run_for(60_000)
    assert step_of(page) == 0


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "theme"), [(NAMES[0], "dark"), *((name, "light") for name in NAMES)]
)
def test_nothing_grave_is_found_and_it_fits_a_phone(show, name, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = show(Stepper(example=name, step=2), size=(360, 1000), theme=theme)
    step_of(page)
    found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    sizes = page.evaluate(
        "() => [...document.querySelectorAll('.ac-stepper svg text')].map((e) => "
        "parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)"
    )
    assert min(sizes) >= 10.9


@pytest.mark.browser
def test_in_forced_colours_it_has_the_readers_colours(browser, tmp_path):
    bare_page = pytest.importorskip("bare_page")
    file = tmp_path / "stepper.html"
    file.write_text(bare_page.bare_page(Stepper(step=4)), "utf-8")
    with browser.new_context(forced_colors="active") as context:
        page = context.new_page()
        page.goto(file.as_uri())
        page.wait_for_selector(".ac-readout")
        drawn = "[...document.querySelectorAll('svg rect, svg text')]"
        colours = page.evaluate(f"{drawn}.map((e) => getComputedStyle(e).color)")
        assert len(set(colours)) == 1
