"""Every widget of the built site: by keyboard, against the reference, spoiled, by link."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from built_site import SITE
from frames import settled
from keyboard import move_everything
from page_gates import Visit, errors_shown, none
from playwright.sync_api import Locator, Page
from widget_kinds import KINDS
from widgets_on_pages import (
    Instance,
    come_alive,
    instances,
    place_of,
    shown,
    state_now,
    with_copies,
    with_state,
    wrong_readouts,
)

pytestmark = pytest.mark.browser
INSTANCES = instances()
# What must change the state. A button may set what is set already, a group reads a chart.
MOVING = {"text", "textbox", "combobox", "range", "number", "checkbox"}
MOVING |= {"select", "slider", "point", "radio"}
# One of each class, where one is enough.
ONE_OF_EACH = list({i.kind: i for i in reversed(INSTANCES)}.values())
one_of_each = pytest.mark.parametrize("one", ONE_OF_EACH, ids=lambda i: i.kind)


def stands_for(widget: Instance) -> tuple:
    """What a widget is worked for, itself or others that the same script draws.

    One prediction for each way to answer, since all of them come to life in
    ``test_site_pages.py``; one stepper, since ``tests/widgets/test_stepper.py`` goes through
    every step of every example.
    """
    if widget.kind in ("Prediction", "Stepper"):
        return widget.kind, widget.form
    return (widget,)


# The first of those that are alike.
WORKED = [*{stands_for(i): i for i in reversed(INSTANCES)}.values()][::-1]


@pytest.fixture(scope="module", params=WORKED, ids=str)
def widget(request) -> Instance:
    """Each widget in turn: all of its tests run, then those of the next."""
    return request.param


@pytest.fixture(scope="module")
def borrowed(browser, home):
    """Lends a page of the site, loaded once for all its widgets; who moves one puts it back."""
    kept: dict[str, tuple[Page, Visit]] = {}

    def put_away():
        for page, _ in kept.values():
            page.context.close()
        kept.clear()

    @contextmanager
    def lend(name: str) -> Iterator[tuple[Page, Visit]]:
        if name not in kept:
            put_away()
            context = browser.new_context(
                viewport={"width": 1280, "height": 800},
                color_scheme="light",
                permissions=["clipboard-read", "clipboard-write"],
            )
            page = context.new_page()
            kept[name] = page, Visit(page, home)
            page.goto(home + name, wait_until="load")
        try:
            yield kept[name]
        except BaseException:  # nobody knows what state it is in
            put_away()
            raise

    yield lend
    put_away()


def _reset(place: Locator) -> None:
    place.get_by_role("button", name=re.compile("^(Reset|Guess again)$")).press("Enter")
    settled(place)


def test_there_are_widgets(home):
    assert {"SaturationLab", "Temperature", "Explore"} <= {i.kind for i in INSTANCES}
    assert len(WORKED) >= 18
    assert len(ONE_OF_EACH) >= 14


def by_keyboard(place: Locator, kind: str) -> list[str]:
    """Move every control of a widget; what did not move, and what it then told wrongly."""
    before = state_now(place, KINDS[kind].names)
    complaints = [f"at first: {text}" for text in wrong_readouts(place, kind)]
    for control, name in move_everything(place):
        settled(place)
        now = state_now(place, KINDS[kind].names)
        if control in MOVING and now == before:
            complaints.append(f"{name}: nothing moved")
        complaints += [f"after {name}: {text}" for text in wrong_readouts(place, kind)]
        before = now
    return complaints


def test_every_control_works_by_keyboard_and_tells_the_truth(borrowed, widget):
    with borrowed(widget.page) as (page, visit):
        place = come_alive(page, widget.model_id)
        assert place.get_attribute("data-ac-state") == "ready"
        start = state_now(place, KINDS[widget.kind].names)
        none(by_keyboard(place, widget.kind))
        _reset(place)
        assert state_now(place, KINDS[widget.kind].names) == start
        none(errors_shown(page))
        none(visit.console)


def test_a_copied_link_shows_the_same_to_somebody_else(borrowed, new_context, widget):
    """Somebody who has a phone and wants no motion: there, nothing moves by itself."""
    with borrowed(widget.page) as (page, _):
        place = come_alive(page, widget.model_id)
        # "Copy link" says for a moment that it was copied.
        copy = place.get_by_role("button", name=re.compile("link", re.IGNORECASE))
        if not copy.count():
            assert widget.kind == "Prediction" or state_now(place, ["compact"])["compact"]
            return
        page.evaluate("navigator.clipboard.writeText('')")
        start = state_now(place, KINDS[widget.kind].names)
        # Of these one move: where nothing can be chosen, a stepper's second is back to the
        # start, as the world player's second translator is its first; the asker's examples put
        # the first question where another was typed.
        back = ("Stepper", "ImageAsker", "PictureTeller", "WorldPlayer")
        moves = range(1 if widget.kind in back else 2)
        for _ in zip(moves, move_everything(place), strict=False):
            settled(place)
        mine = state_now(place, KINDS[widget.kind].names), shown(place)
        assert mine[0] != start
        copy.press("Enter")
        page.wait_for_function("navigator.clipboard.readText().then((t) => t.includes('#'))")
        link = page.evaluate("navigator.clipboard.readText()")
        _reset(place)
    theirs = new_context(width=360, reduced_motion="reduce").new_page()
    theirs.goto(link)
    there = place_of(theirs, widget.model_id)
    there.locator(".ac-readout").wait_for()
    settled(there)
    assert (state_now(there, KINDS[widget.kind].names), shown(there)) == mine
    assert there.evaluate("(e) => Math.abs(e.getBoundingClientRect().top) < innerHeight")
    for _ in zip(range(2), move_everything(there), strict=False):
        settled(there)
    running = "document.getAnimations().filter((a) => a.playState === 'running').length"
    assert theirs.evaluate(running) == 0


def _open_changed(page: Page, home: str, name: str, change: Callable[[str], str]) -> None:
    """Open a page that is changed on the way."""
    body = change((SITE / name).read_text(encoding="utf-8"))
    page.route(
        f"{home}{name}", lambda route: route.fulfill(body=body, content_type="text/html")
    )
    page.goto(f"{home}{name}", wait_until="load")


@one_of_each
def test_a_bad_state_says_so_in_its_place_and_breaks_nothing_else(page, home, one):
    bad = KINDS[one.kind].bad
    spoil = partial(with_copies, model_id=one.model_id, changes=[dict([each]) for each in bad])
    _open_changed(page, home, one.page, spoil)
    for number, (trait, value) in enumerate(bad):
        error = come_alive(page, f"copy-{number}").locator("[role=alert]:visible")
        error.wait_for()
        text = error.text_content()
        assert len(text) > 20, text
        if trait not in KINDS[one.kind].unnamed:
            assert trait in text, text
            assert json.dumps(value, separators=(",", ":")) in text, text
    for sound in {stands_for(i): i for i in INSTANCES if i.page == one.page}.values():
        assert come_alive(page, sound.model_id).get_attribute("data-ac-state") == "ready"
        none(wrong_readouts(place_of(page, sound.model_id), sound.kind))


@one_of_each
def test_a_widget_without_its_code_says_so(page, home, one):
    spoil = partial(with_state, model_id=one.model_id, changes={"_source": "lost"})
    _open_changed(page, home, one.page, spoil)
    place = come_alive(page, one.model_id)
    assert "lost.js could not be loaded" in place.locator("[role=alert]").text_content()


def test_the_button_turns_the_whole_page(page, home):
    page.goto(home + INSTANCES[0].page, wait_until="load")
    place = come_alive(page, INSTANCES[0].model_id)
    button = page.locator("button.theme-switch-button:visible").first
    seen = set()
    for _ in range(3):
        button.click()
        theme = page.evaluate("document.documentElement.dataset.theme")
        place.locator(f".ac-root[data-ac-theme={theme}]").wait_for()
        seen.add(theme)
    assert seen == {"light", "dark"}
