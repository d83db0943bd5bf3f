"""The recurrent family in Chromium, opened from disk: typed into, compared with Python."""

import pytest
from frames import settled
from opened import SHOWN, files, show, site
from playwright.sync_api import expect

from attention_course.widgets import RecurrentFamily
from attention_course.widgets.family.widget import MODELS

__all__ = ["show", "site"]  # fixtures
pytestmark = pytest.mark.browser
STATE = "(place, names) => Object.fromEntries(names.map((n) => [n, place.acModel.get(n)]))"


def truthful(place):
    """Whether the page shows what Python computes for its state; the read-outs."""
    settled(place)
    state = place.evaluate(STATE, [*RecurrentFamily._state])
    wanted = RecurrentFamily(**state).readouts()
    assert place.evaluate(SHOWN) == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    return wanted


def compares(place, word):
    expect(place.locator(".ac-family-right [aria-pressed=true]")).to_have_text(word)


@pytest.fixture
def family(show):
    def opened(**state):
        place = show(RecurrentFamily, **state)
        place.get_by_role("button", name="Translate").click()
        expect(place.locator(".ac-family-table tbody")).to_have_count(
            len(MODELS), timeout=60_000
        )
        return place

    return opened


def test_nothing_is_fetched_before_translate_and_then_every_row_is_true(show, family):
    place = show(RecurrentFamily)
    assert files(place.page) == ["player.html", "widget-host.js"]
    assert "right from end to end" not in place.inner_text()
    place = family()
    assert len([name for name in files(place.page) if name.startswith("world_")]) == len(MODELS)
    before = truthful(place)
    compares(place, "fatigué")
    wrong = place.locator(".ac-family-whole .ac-family-wrong").all_text_contents()
    assert {*wrong} >= {"elle", "fatiguée"}
    assert f"{sum(not before[f'{m}-wrong'] for m in MODELS)} of the {len(MODELS)}" in (
        place.locator(".ac-readout").inner_text()
    )
    place.get_by_role("button", name="il", exact=True).press("Enter")
    compares(place, "il")
    assert truthful(place) != before
    assert "“il” comes from “it”" in place.locator(".ac-readout").inner_text()


def test_a_typed_sentence_goes_through_all_and_a_look_at_all_alike_spoils_it(family):
    place = family()
    field = place.get_by_label("Your English sentence")
    field.fill("")
    field.press_sequentially("The girl swims to the bank")
    field.press("Enter")
    compares(place, "rive")
    before = truthful(place)
    place.get_by_label("Every model looks at all words alike").check()
    after = truthful(place)
    assert sum(after[f"{m}-wrong"] for m in MODELS) > sum(before[f"{m}-wrong"] for m in MODELS)
    assert after["fixed-wrong"] == before["fixed-wrong"]
    field.fill("The zebra swims")
    field.press("Enter")
    expect(place).to_contain_text("“zebra” is not among the words")
