"""The course's sentence in Chromium, opened from disk: it waits, reads, and each box cuts."""

import pytest
from opened import (
    DAMAGED,
    SET,
    SHOWN,
    STATE,
    files,
    press,
    settled,
    show,
    site,
)
from playwright.sync_api import expect

from attention_course.measure import recorded
from attention_course.widgets import LivingSentence
from attention_course.widgets.living_sentence.read import ALL_CUTS, PARTS
from attention_course.widgets.living_sentence.widget import DEFAULT, VIEWS

pytestmark = pytest.mark.browser
__all__ = ["show", "site"]  # fixtures
ALIVE = {"kind": LivingSentence, "alive": True}


def state_of(place):
    return place.evaluate(STATE, [*LivingSentence._state])


def truthful(place):
    """Whether the page shows what NumPy computes for its state."""
    settled(place)
    wanted = LivingSentence(**state_of(place)).readouts()
    assert place.evaluate(SHOWN) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    return wanted


def said(place):
    settled(place)
    return place.locator(".ac-readout").text_content()


def test_nothing_is_asked_for_before_the_reader_asks(show):
    place = show(LivingSentence)
    assert files(place.page) == ["player.html", "widget-host.js"]
    likely, _ = LivingSentence().next_words(1)[0]
    assert f"reads {DEFAULT}" in place.locator(".ac-recorded").text_content()
    truthful(place)
    press(place, "Let the model read it")
    assert files(place.page)[2:] == ["world_words.js"]
    assert f"expects “{likely}” next" in said(place)
    assert len(truthful(place)) > 30


# Cuts that a view has boxes for: some of each group, by the words that name them.
BOXES = {
    "queries": ["uniform-1", "uniform-4", "attention-2", "head-1-2"],
    "scale": ["scale"],
    "heads": ["head-1-1", "head-4-4"],
    "mask": ["mask"],
    "positions": ["positions-none", "positions-mean", "positions-shuffled"],
    "stream": ["layer-2", "attention-3", "feed-forward-1", "residual-2"],
    "whole": ["layer-4", "layer-2", "attention-1", "head-1-3", "feed-forward-1"],
}


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_shows_what_numpy_computes_and_its_boxes_cut(show, view):
    place = show(view=view, **ALIVE)
    before = truthful(place)
    boxes = place.locator("input[aria-label^='Cut: ']:visible")
    named = boxes.evaluate_all("all => all.map((e) => e.getAttribute('aria-label'))")
    assert len(set(named)) == len(named) >= len(BOXES[view])
    seen = []
    for i in range(len(named)):
        boxes.nth(i).press("Space")
        settled(place)
        (cut,) = state_of(place)["cuts"]
        seen.append(cut)
        if cut in BOXES[view]:
            assert truthful(place) != before
            by = "Cut (nothing in its place), it " if cut in PARTS else "Cut, it "
            assert said(place).startswith(by)
        boxes.nth(i).press("Space")
    assert {*BOXES[view]} <= {*seen} <= {*ALL_CUTS}
    assert truthful(place) == before


@pytest.mark.parametrize("view", ["queries", "heads", "stream", "whole"])
def test_the_blade_is_chosen_by_keyboard_and_named(show, view):
    place = show(view=view, width=360, cuts=["attention-1"], **ALIVE)
    before, seen = truthful(place), []
    place.get_by_label("nothing", exact=True).focus()
    for words in ("its mean in its place", "another sentence’s in its place"):
        place.page.keyboard.press("ArrowRight")
        settled(place)
        assert said(place).startswith(f"Cut ({words}), it ")
        seen.append(truthful(place))
        box = place.locator("input[aria-label^='Cut: ']").first
        assert "replaced by" in place.locator(".ac-ls-scissors").text_content()
        assert box.get_attribute("aria-label")
    assert state_of(place)["blade"] == "other"
    assert "the queen reads an old letter" in place.locator(".ac-ls-scissors").text_content()
    assert before != seen[0] != seen[1]


def test_several_cuts_are_of_this_sentence_only_and_can_be_undone(show):
    place = show(LivingSentence, view="heads", alive=True)
    before = truthful(place)
    place.evaluate(SET, {"cuts": ["head-1-2", "uniform-3", "scale", "layer-4"]})
    assert truthful(place) != before
    assert "on your sentence only" in place.locator(".ac-ls-scissors").text_content()
    press(place, "Undo all cuts")
    assert truthful(place) == before


def test_a_word_a_layer_and_a_head_are_chosen_by_keyboard(show):
    place = show(LivingSentence, view="heads", alive=True)
    place.locator("[data-word='4']").press("Enter")
    place.get_by_label("Show layer 3, head 2").press("Enter")
    settled(place)
    state = state_of(place)
    assert (state["word"], state["layer"], state["head"]) == (5, 3, 2)
    truthful(place)
    focused = place.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused.startswith("Show layer 3, head 2")
    assert place.locator("[data-word='4']").get_attribute("aria-pressed") == "true"


def test_the_whole_model_on_one_screen_is_typed_opened_and_cut(show):
    """From the typed word to the written one, under the site's header on a screen of 900 px."""
    place = show(width=928, view="whole", **ALIVE)
    height = "(place) => place.getBoundingClientRect().height"
    assert place.evaluate(height) <= 851
    field, keys = place.get_by_label("Your English sentence"), place.page.keyboard
    field.click()
    keys.press("Control+a")
    keys.type("The hen did not drink the water because it was too")
    keys.press("Enter")
    settled(place)
    before = truthful(place)
    assert place.get_by_role("button", name="head 4").count() == 1  # of the open block
    place.get_by_role("button", name="block 2").press("Enter")
    settled(place)
    assert truthful(place)["added-attention"] != before["added-attention"]
    focused = place.page.evaluate("document.activeElement.textContent")
    assert (focused, state_of(place)["layer"]) == ("block 2", 2)
    place.get_by_role("button", name="head 4").click()
    place.locator("[data-word='7']").click()
    assert (state_of(place)["head"], state_of(place)["word"]) == (4, 8)
    assert "In block 2 the guess after “because” goes from" in said(place)
    press(place, "Next word ›")
    whole = truthful(place)
    written = place.locator(".ac-ls-written").all_text_contents()
    place.get_by_label("Cut: layer 2 set to zero").check()
    assert truthful(place) != whole
    assert place.locator(".ac-ls-changed").count() > 3
    assert place.evaluate(height) <= 851
    assert place.locator(".ac-ls-written").all_text_contents() != written
    seen = [truthful(place)]
    for blade in ("its mean", "another sentence’s"):
        place.get_by_label(blade, exact=True).check()
        seen.append(truthful(place))
    assert seen[0] != seen[1] != seen[2]
    press(place, "Undo all cuts")
    place.locator("[data-word='10']").click()
    assert place.locator(".ac-ls-changed").count() == 0
    truthful(place)


def test_two_words_are_exchanged(show):
    place = show(view="positions", word=2, **ALIVE)
    before = truthful(place)
    place.get_by_label("Exchange word 2, “animal”, with").select_option("7 street")
    settled(place)
    assert state_of(place)["exchanged"] == [1, 6]
    assert truthful(place) != before
    assert place.locator("[data-word='1']").text_content() == "street"


def test_it_writes_on_word_by_word_plays_and_says_what_it_had_written_uncut(show):
    cut = {"cuts": ["layer-1"], "written": 1}
    place = show(cuts=cut["cuts"], **ALIVE)
    press(place, "Next word ›")
    written, free = (LivingSentence(**w).words()[-1] for w in (cut, {"written": 1}))
    assert written != free
    assert place.locator(".ac-ls-added").all_text_contents() == [written]
    told = place.locator(".ac-ls-beside").text_content()
    assert f"Without cuts it writes: {free}" in told
    truthful(place)
    press(place, "Play")
    expect(place.locator(".ac-ls-added").nth(2)).to_be_visible()
    press(place, "Pause")
    truthful(place)
    written = state_of(place)["written"]
    press(place, "‹ Back")
    assert state_of(place)["written"] == written - 1


def test_who_wants_no_motion_goes_by_hand(show):
    place = show(motion="reduce", **ALIVE)
    assert place.get_by_role("button", name="Play", exact=True).count() == 0
    expect(place.get_by_text("there is no Play: press Next")).to_be_visible()
    press(place, "Next word ›")
    written = LivingSentence(written=1).words()[-1]
    assert place.locator(".ac-ls-added").all_text_contents() == [written]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  ", "no word in the sentence"),
        ("who " * 49, "49 words and marks; the model reads at most 48"),
    ],
)
def test_a_sentence_that_cannot_be_read_is_said_so_and_the_old_one_stays(show, text, words):
    place = show(**ALIVE)
    field = place.get_by_label("Your English sentence")
    field.fill(text)
    field.press("Enter")
    assert words in place.locator(".ac-controls").text_content()
    assert state_of(place)["sentence"] == DEFAULT


def test_the_sentence_goes_along_to_the_next_chapter_until_reset(show):
    place = show(LivingSentence)
    field = place.get_by_label("Your English sentence")
    field.fill("The queen sees the king")
    field.press("Enter")
    settled(place)
    place.page.reload()
    place.page.wait_for_function("document.querySelector('.ac-readout')?.textContent")
    settled(place)
    state = state_of(place)
    assert (state["sentence"], state["alive"]) == ("The queen sees the king", False)
    press(place, "Reset")
    assert state_of(place)["sentence"] == DEFAULT
    place.page.reload()
    place.page.wait_for_function("document.querySelector('.ac-readout')?.textContent")
    assert state_of(place)["sentence"] == DEFAULT


def test_the_page_offers_its_own_sentence_and_keeps_the_readers(show):
    place = show(LivingSentence)
    assert place.get_by_role("button", name="sentence").count() == 0
    field = place.get_by_label("Your English sentence")
    field.fill("The queen sees the king")
    field.press("Enter")
    settled(place)
    press(place, "The page’s sentence")
    assert state_of(place)["sentence"] == DEFAULT
    place.page.reload()
    place.page.wait_for_function("document.querySelector('.ac-readout')?.textContent")
    assert state_of(place)["sentence"] == "The queen sees the king"
    press(place, "The page’s sentence")
    press(place, "Your sentence")
    assert state_of(place)["sentence"] == "The queen sees the king"


def test_words_that_the_model_knows_are_completed_and_stand_for_those_it_does_not(show):
    place = show(**ALIVE)
    field, keys = place.get_by_label("Your English sentence"), place.page.keyboard
    field.click()
    keys.press("Control+a")
    keys.type("The hoarse didn’t cross the riv")
    keys.press("Tab")
    expect(field).to_have_value("The hoarse didn’t cross the river ")
    keys.press("Enter")
    assert "“hoarse” is not among the words" in place.locator(".ac-controls").text_content()
    assert state_of(place)["sentence"] == DEFAULT
    place.get_by_role("button", name="horse in place of hoarse").click()
    settled(place)
    assert state_of(place)["sentence"] == "The horse didn’t cross the river"
    assert "“hoarse”" not in place.locator(".ac-controls").text_content()
    truthful(place)


def test_a_cut_is_told_what_it_costs_by_its_blade(show):
    place = show(LivingSentence, view="heads", blade="other", alive=True)
    place.locator(".ac-ls-group input").first.press("Space")
    assert truthful(place)["loss"] != truthful(place)["loss-free"]
    cost = recorded("world_cuts")[0]["cuts"]["head-1-1"]["other"]["cost"]
    told = f"this cut changes the loss by +{cost:.2f} nats a word"
    assert told in place.locator(".ac-ls-scissors").text_content()


def test_a_head_is_said_to_find_what_it_finds(show):
    place = show(LivingSentence, view="heads", alive=True)
    place.get_by_label("Show layer 4, head 3").press("Enter")
    settled(place)
    verb = recorded("world_cuts")[0]["functions"]["verb"]
    right, chance = verb["heads"]["head-4-3"][0], verb["chance"]
    told = f"on the verb for {right:.0%} (by chance {chance:.0%})".replace("%", " %")
    assert told in place.locator(".ac-ls-more").text_content()


def test_the_head_that_is_shown_is_cut_alone(show):
    swims = "the girl swims to the bank"
    place = show(sentence=swims, layer=4, head=2, **ALIVE)
    before = truthful(place)
    box = place.get_by_text("the one that is shown")
    box.click()
    assert truthful(place) != before
    assert state_of(place)["cuts"] == ["head-4-2"]
    assert "head 2 of layer 4 set to zero" in place.locator(".ac-ls-scissors").text_content()
    place.evaluate(SET, {"head": 3})
    settled(place)
    box.click()
    assert state_of(place)["cuts"] == ["head-4-2", "head-4-3"]
    truthful(place)


def test_a_page_without_the_parameters_says_so_and_keeps_what_was_recorded(show):
    place = show(models=False, **ALIVE)
    assert "does not lie beside this page" in said(place)
    assert f"reads {DEFAULT}" in place.locator(".ac-recorded").text_content()


@pytest.mark.parametrize("content", DAMAGED)
def test_damaged_parameters_are_said_so_and_what_was_recorded_stays(show, content):
    place = show(models=content, **ALIVE)
    assert "or its file is damaged" in said(place)
    assert f"reads {DEFAULT}" in place.locator(".ac-recorded").text_content()
    assert ("SyntaxError" in str(place.page.said)) == content.startswith("(((")
    place.page.said.clear()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_sticks_out_on_a_phone(show, view, theme):
    long = "The woman brings the tea to the children, because the children are happy . The"
    place = show(width=360, theme=theme, view=view, sentence=long, written=3, **ALIVE)
    truthful(place)
    assert place.page.evaluate("document.documentElement.scrollWidth") <= 360
