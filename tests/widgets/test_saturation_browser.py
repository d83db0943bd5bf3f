"""The lab in Chromium, on a bare page: every control by keyboard, against the reference."""

import pytest
from frames import frames

from attention_course.reference import saturation
from attention_course.widgets import SaturationLab

pytestmark = pytest.mark.browser

STATE = SaturationLab._state
FIGURES = """() => Object.fromEntries([...document.querySelectorAll("[data-ac-figure]")]
    .map((cell) => [cell.dataset.acFigure, Number(cell.dataset.acValue)]))"""
UNFOLD = "document.querySelectorAll('details').forEach((fold) => (fold.open = true))"
ALIVE = """document.querySelector('.ac-readout')?.textContent
    || document.querySelector('.ac-error')?.hidden === false"""


@pytest.fixture
def lab(show):
    def open_lab(made=None, **more):
        page = show(made or SaturationLab(), motion="reduce", **more)
        page.wait_for_function(ALIVE)
        page.evaluate(UNFOLD)
        return page

    return open_lab


def state_of(page):
    return {name: page.evaluate("(name) => window.model.get(name)", name) for name in STATE}


def settle(page):
    """Wait until the table for the state is there and two frames have been drawn."""
    page.wait_for_function("document.querySelector('.ac-picture').ariaBusy === 'false'")
    frames(page)
    page.wait_for_function("document.querySelector('.ac-picture').ariaBusy === 'false'")


def compare(page):
    """Compare every figure on the page with the reference at the page's state."""
    settle(page)
    numbers = saturation(**state_of(page))
    for place, value in page.evaluate(FIGURES).items():
        part, name = place.split(".")
        assert value == pytest.approx(numbers[part][name], rel=1e-6, abs=1e-9, nan_ok=True), (
            place
        )


def control(page, label):
    return page.get_by_label(label, exact=True)


def test_a_factor_of_ones_own_appears_when_it_is_wanted(lab):
    page = lab()
    factor = control(page, "Multiply by")
    assert not factor.is_visible()
    control(page, "multiply by a number of your own").check(force=True)
    settle(page)
    factor.focus()
    page.keyboard.press("ArrowLeft")

    assert state_of(page)["scale"] == "custom"
    assert state_of(page)["scale_value"] < 0.125
    compare(page)


def pressed(page):
    """The presets that are marked as standing."""
    marked = page.locator(".ac-presets [aria-pressed=true]")
    return [text.split("\n")[0] for text in marked.all_inner_texts()]


def test_presets_set_several_things_and_reset_brings_the_start_back(lab):
    page = lab()
    start = state_of(page)
    page.get_by_role("button", name="Scaled").click()
    assert state_of(page) | {"d_k": 512, "scale": "sqrt_d_k"} == state_of(page)
    compare(page)
    assert pressed(page) == ["Scaled"]
    control(page, "Width d_k").press("ArrowRight")
    settle(page)
    assert pressed(page) == []
    page.get_by_role("button", name="Reset").click()
    assert state_of(page) == start
    compare(page)


def test_a_score_is_moved_by_keyboard_and_put_back(lab):
    page = lab()
    slider = page.get_by_role("slider", name="Score of key 1", exact=True)
    slider.focus()
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowUp")
    compare(page)
    assert state_of(page)["offsets"][0] > 0
    assert len(state_of(page)["offsets"]) == 1
    page.wait_for_function(
        "el => el.getAttribute('aria-valuetext').includes('moved')", arg=slider.element_handle()
    )
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    settle(page)
    assert state_of(page)["offsets"][1] < 0
    page.keyboard.press("Delete")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Delete")
    settle(page)
    assert state_of(page)["offsets"] == []


def test_a_bad_trait_is_told_in_its_place_and_can_be_mended(lab):
    page = lab(d_k="abc")
    message = 'd_k must be a whole number from 1 to 4096, got "abc"'
    assert message in page.get_by_role("alert").inner_text()
    assert not page.locator(".ac-picture").is_visible()
    assert not page.locator(".ac-readout").is_visible()
    page.get_by_role("button", name="Reset").click()
    page.locator(".ac-picture").wait_for(state="visible")
    assert not page.get_by_role("alert").is_visible()
    compare(page)


@pytest.fixture
def simple(lab):
    """The simple lab at its start."""
    return lab(SaturationLab(compact=True, d_k=64, scale="sqrt_d_k"))


def test_the_simple_lab_has_a_switch_a_slider_two_pictures_and_a_question(simple):
    kinds = {"slider": 1, "checkbox": 1, "radio": 0, "spinbutton": 1, "button": 2}
    assert {kind: simple.get_by_role(kind).count() for kind in kinds} == kinds
    assert simple.locator(".ac-chart").count() == 2
    assert simple.inner_text(".ac-readout").startswith("With the factor, a typical query")
    control(simple, "Divide by √d_k").press("Space")
    control(simple, "Width d_k").press("End")
    compare(simple)
    assert state_of(simple)["scale"] == "none"
    assert simple.inner_text(".ac-readout").startswith("Without the factor, a typical query")
    dead = round(256 * simple.evaluate(FIGURES)["batch.dead"])
    assert f"{dead} of 256 queries" in simple.inner_text(".ac-panel:last-child .ac-lab-key")


def test_the_simple_lab_takes_a_guess_and_tells_how_far_off_it_was(simple):
    right = round(256 * saturation(d_k=1024)["batch"]["dead"])
    field = simple.get_by_role("spinbutton")
    for guess in (10, 167, 250):
        field.fill(str(guess))
        field.press("Enter")
        compare(simple)

        said = simple.inner_text("[role=status]")
        off = abs(guess - right)
        assert f"{right} of 256 are dead" in said
        assert (f"{off} too {'low' if guess < right else 'high'}" if off else "exactly") in said
        assert (state_of(simple)["d_k"], state_of(simple)["scale"]) == (1024, "none")
        simple.get_by_role("button", name="Reset").click()
        assert simple.inner_text("[role=status]") == ""


def test_what_is_no_guess_is_told_and_moves_nothing(simple):
    before = state_of(simple)
    outside = "“{}” does not fit: write a number between 0 and 256."
    for guess, said in (("", "Type a number first."), ("-3", outside), ("257", outside)):
        simple.get_by_role("button", name="Reset").click()
        simple.get_by_role("spinbutton").fill(guess)
        simple.get_by_role("button", name="Check").click()

        words = simple.inner_text("[role=status]") + simple.inner_text(".ac-ask .ac-taken")
        assert words == said.format(guess)
        assert state_of(simple) == before


def test_the_full_lab_asks_from_where_most_are_dead(lab):
    page = lab(d_k=8, seed=3)  # the question is about the lab as it starts
    settle(page)
    page.get_by_label("Guess first.").fill("100")
    page.get_by_role("button", name="Check").click()
    settle(page)
    found = state_of(page)["d_k"]

    assert f"From dk = {found} on" in page.text_content("[role=status]")
    below = saturation(**(state_of(page) | {"d_k": found - 64}))["batch"]["dead"]
    assert below <= 0.5 < saturation(**state_of(page))["batch"]["dead"]
    compare(page)


PATHS = """() => [...document.querySelectorAll(".ac-all > * > .ac-panel")].map((panel) =>
    [...panel.querySelectorAll("path")].map((path) => path.getAttribute("d")).join())"""


def test_axes_stay_and_what_stood_before_is_still_seen(lab):
    page = lab(d_k=16)
    dotted = ".ac-panel .ac-chart-outline[stroke-dasharray]"
    ticks = ".ac-three .ac-chart-axes"
    settle(page)
    before = page.locator(ticks).all_inner_texts(), page.evaluate(PATHS)
    assert page.locator(dotted).count() == 0
    page.wait_for_timeout(800)  # what stood for a while is what a change is seen against
    control(page, "Width d_k").press("End")
    compare(page)

    after = page.locator(ticks).all_inner_texts(), page.evaluate(PATHS)
    assert after[0] == before[0]
    assert all(now != then for now, then in zip(after[1], before[1], strict=True))
    assert page.locator(dotted).count() == 3
    page.get_by_role("button", name="Reset").click()
    settle(page)
    assert page.locator(dotted).count() == 0


def test_on_a_phone_slider_and_gradients_are_seen_together(lab):
    for made in (SaturationLab(), SaturationLab(compact=True)):
        page = lab(size=(360, 780), touch=True, made=made)
        settle(page)
        picture = page.locator(".ac-chart", has_text="The gradient of each query")
        picture.evaluate("(e) => e.scrollIntoView({block: 'end'})")
        frames(page)
        slider = control(page, "Width d_k")
        boxes = [slider.bounding_box(), picture.bounding_box()]
        assert all(box["y"] >= 0 and box["y"] + box["height"] <= 781 for box in boxes)
        assert boxes[0]["y"] + boxes[0]["height"] < boxes[1]["y"]
