"""Two models trained in Chromium, on a page opened from disk: play, pause, step, seed, link."""

import json
import shutil

import pytest
from frames import settled
from playwright.sync_api import expect

from attention_course.site.assets import SITE
from attention_course.site.widget_state import (
    compact,
    place_html,
    sources,
    state_script,
    write_sources,
)
from attention_course.widgets import LiveTraining

pytestmark = pytest.mark.browser
SHOWN = """(place) => Object.fromEntries([...place.querySelectorAll("[data-readout]")]
    .map((e) => [e.dataset.readout, Number(e.dataset.value)]))"""

NO_WORKERS = "Worker = class { constructor() { throw new Error('no workers here'); } };"


@pytest.fixture
def show(browser, tmp_path):
    """Opens a widget; gives its place, and complains of any error on the page."""
    contexts = []

    def open_widget(width=1000, workers=True, motion=None, theme="light", hash="", **state):
        widget = LiveTraining(**state)
        names = [*widget._state, "key", "initial", "fallback"]
        own = {name: getattr(widget, name) for name in names}
        stored = {"t": {"state": own | LiveTraining.fixed()}}
        shutil.copy(SITE / "static" / "widget-host.js", tmp_path)
        write_sources(tmp_path / "widgets", sources(stored))
        file = tmp_path / "page.html"
        file.write_text(
            f'<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width"><title>Training</title>'
            '<link rel="icon" href="data:,"><body><main><h1>Training</h1>'
            f"{place_html('t', stored)}</main>{state_script(compact(stored))}"
            '<script src="widget-host.js"></script></body></html>',
            "utf-8",
        )
        context = browser.new_context(
            viewport={"width": width, "height": 900}, reduced_motion=motion
        )
        if not workers:
            context.add_init_script(NO_WORKERS)
        page = context.new_page()
        page.set_default_timeout(60_000)
        said = []
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda m: m.type == "error" and said.append(m.text))
        page.on("request", lambda r: r.url.startswith("http") and said.append(r.url))
        contexts.append((context, said))
        page.goto(file.as_uri() + hash)
        page.wait_for_function("document.querySelector('.ac-readout')?.textContent")
        place = page.locator(".ac-widget")
        settled(place)
        return place

    yield open_widget
    for context, said in contexts:
        context.close()
        assert said == []


def state_of(place):
    return {name: place.evaluate(f"p => p.acModel.get({name!r})") for name in ("seed", "step")}


def press(place, name):
    place.get_by_role("button", name=name, exact=True).click()


def reach(place, step):
    place.page.wait_for_function(
        "([p, step]) => p.acModel.get('step') >= step", arg=[place.element_handle(), step]
    )


def test_nothing_is_trained_before_the_reader_asks(show):
    place = show()
    assert "Nothing is trained yet" in place.locator(".ac-readout").text_content()
    assert place.evaluate(SHOWN) == {}
    assert place.page.workers == []


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_it_plays_and_pauses(show, motion):
    place = show(motion=motion)
    press(place, "Play")
    reach(place, 10)
    press(place, "Pause")
    settled(place)
    step = state_of(place)["step"]
    assert len(place.page.workers) == 2
    assert f"After {step} steps from seed 0" in place.locator(".ac-readout").text_content()
    place.page.wait_for_timeout(500)
    assert state_of(place)["step"] == step
    press(place, "Step")
    settled(place)
    assert state_of(place)["step"] == step + 1
    heat = place.get_by_label("Where attention looks for each word")
    expect(heat.first).to_be_visible()


def test_a_step_that_is_linked_is_computed_and_reset_forgets_it(show):
    place = show(hash="#live-training?seed=1&step=12")
    assert state_of(place) == {"seed": 1, "step": 12}
    first = place.evaluate(SHOWN)
    assert sorted(first) == ["loss-attention", "loss-fixed"]
    press(place, "Other seed")
    settled(place)
    assert state_of(place) == {"seed": 2, "step": 0}
    assert place.evaluate(SHOWN) == {}
    press(place, "Reset")
    settled(place)
    assert state_of(place) == {"seed": 0, "step": 0}
    place.evaluate("(p) => { p.acModel.set('seed', 1); p.acModel.set('step', 12); }")
    settled(place)
    assert place.evaluate(SHOWN) == first


def test_a_sentence_of_ones_own_is_typed_and_followed(show):
    place = show(step=2)
    assert place.locator("dt").first.text_content() == "held-out sentence"
    field = place.get_by_label("Your English sentence")
    field.click()
    place.page.keyboard.type("The lawyer eats the avo")
    place.page.keyboard.press("Tab")
    place.page.keyboard.press("Enter")
    settled(place)
    expect(place.locator("dt").first).to_have_text("your sentence")
    expect(place.locator("dd code").first).to_have_text("the lawyer eats the avocado .")
    expect(place.locator("dl")).to_contain_text("l' avocat mange l' avocat .")
    expect(place.locator("dl")).to_contain_text("of the weight lies on the word")
    expect(place.get_by_label("Where attention looks for each word").first).to_be_visible()
    field.fill("the lawyer eats the avacado")
    place.page.keyboard.press("Enter")
    expect(place.get_by_text("“avacado” is not among the words")).to_be_visible()
    expect(place.locator("dt").first).to_have_text("held-out sentence")
    assert place.evaluate("p => p.acModel.get('sentence')") == "the lawyer eats the avacado"
    place.get_by_role("button", name="avocado in place of avacado").click()
    expect(place.locator("dt").first).to_have_text("your sentence")


def test_the_losses_are_told_as_a_table(show):
    place = show(step=51)
    place.get_by_text("This training as a table").click()
    table = place.get_by_role("table", name="This training as a table")
    expect(table.locator("tbody th")).to_have_text(["50", "51"])
    assert set(place.evaluate(SHOWN)) == {
        f"{what}-{model}" for what in ("loss", "exact") for model in ("attention", "fixed")
    }


def test_without_workers_it_says_so_and_opens_the_recorded_run(show):
    place = show(workers=False)
    press(place, "Play")
    expect(place.get_by_role("alert")).to_contain_text("cannot start a worker")
    expect(place.get_by_role("alert")).to_contain_text("no workers here")
    expect(place.get_by_role("table", name="Three recorded trainings")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_page(show, theme):
    place = show(width=360, theme=theme, step=5)
    for summary in place.locator("summary").all():
        summary.click()
    wide = "document.documentElement.scrollWidth"
    assert place.page.evaluate(wide) <= 360


def test_the_page_answers_while_it_trains(show):
    """Frames keep coming: the work is done elsewhere."""
    place = show()
    press(place, "Play")
    reach(place, 5)
    longest = place.page.evaluate(
        """() => new Promise((done) => {
          let [last, longest, n] = [performance.now(), 0, 0];
          const count = (now) => {
            longest = Math.max(longest, now - last);
            last = now;
            if (++n < 40) requestAnimationFrame(count); else done(longest);
          };
          requestAnimationFrame(count);
        })"""
    )
    assert longest < 1000, json.dumps(longest)
