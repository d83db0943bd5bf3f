"""The player in Chromium, opened from disk: typed into, and held against the truth."""

import pytest
from frames import settled
from playwright.sync_api import expect
from test_sentence_player_browser import SHOWN, files, press, show, site

from attention_course.data.world import Pair, deciders, parse
from attention_course.widgets import WorldPlayer
from attention_course.widgets.world_player.translate import LONGEST

__all__ = ["show", "site"]  # fixtures
pytestmark = pytest.mark.browser
ANIMAL = "the animal did not cross the street because it was too tired ."


@pytest.fixture
def play(show):
    def open_world(**state):
        return show(**{"sentence": WorldPlayer().sentence} | state)

    return open_world


def french(place):
    settled(place)
    return place.locator("[data-target]").all_text_contents()


def kind(place, text):
    field = place.get_by_label("Your English sentence")
    field.fill("")
    field.press_sequentially(text)
    field.press("Enter")
    settled(place)
    return field


def state_of(place):
    names = [*WorldPlayer._state, "models"]
    return place.evaluate(
        "(place, names) => Object.fromEntries(names.map((n) => [n, place.acModel.get(n)]))",
        names,
    )


def truthful(place):
    """Whether the page shows what Python computes for its state."""
    settled(place)
    wanted = WorldPlayer(**state_of(place)).readouts()
    assert place.evaluate(SHOWN) == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    return wanted


def kinds_of_lines(place):
    return [place.locator(f".ac-sp-{kind}").count() for kind in ("from", "decides")]


def test_a_typed_sentence_is_written_word_by_word_with_a_gloss_each(play):
    place = play()
    assert files(place.page) == ["player.html", "widget-host.js"]
    kind(place, "The horse isn’t hungry")
    expect(place.locator("[data-target]").last).to_have_text("(end)", timeout=60_000)
    assert sorted({*files(place.page)[2:]}) == [
        "world.js",
        "world_attention.js",
        "world_fixed.js",
    ]
    assert french(place) == ["le", "cheval", "n'", "est", "pas", "affamé", ".", "(end)"]
    assert place.locator(".ac-sp-gloss").all_text_contents() == [
        *("the/him m", "horse m", "not", "is", "not", "hungry m"),
        *("", ""),
    ]
    assert place.get_by_label("Your English sentence").input_value() == "The horse isn’t hungry"
    truthful(place)


def test_what_is_true_lies_beside_what_is_written_and_a_gaze_is_put_right(play):
    place = play(step=LONGEST, moves=[[10, 6]])  # its gaze lies on the street
    place.get_by_label("Show what is true").check()
    numbers = truthful(place)
    assert numbers["wrong"] == 2
    assert place.locator(".ac-sp-wrong").all_text_contents() == ["elle", "fatiguée"]
    assert place.locator(".ac-sp-missed").all_text_contents() == ["il", "fatigué"]
    assert f"{100 * numbers['on-source']:.0f} %" in place.locator(".ac-sp-true").text_content()
    pair = Pair(parse(ANIMAL.split(), "english")[0])
    both = zip(pair.french, pair.alignment("english"), deciders(pair, "english"), strict=True)
    right = [(own, by) for _, own, by in both]
    wanted = [sum(bool(own) for own, _ in right), sum(bool(by) for _, by in right)]
    expect(place.locator(".ac-sp-decides")).to_have_count(wanted[1], timeout=30_000)
    assert kinds_of_lines(place) == wanted
    place.locator("[data-target='6']").focus()
    settled(place)
    weight = {j: f"{numbers[f'weight-6-{j}']:.2f}" for j in (5, 6)}
    said = place.locator(".ac-readout").text_content()
    assert f"In truth it comes from “the”: {weight[5]} of its weight is there." in said
    assert f"In truth it is decided by “street” ({weight[6]})." in said

    place.locator("[data-target='10']").press("Enter")
    settled(place)
    said = place.locator(".ac-readout").text_content()
    assert "It should be “il”, which comes from “it”: 0.00 of its weight is there." in said
    place.get_by_label("Word 11, “elle”, looks at").select_option("only 9 it")
    assert truthful(place)["wrong"] == 0
    assert french(place)[10:14] == ["il", "était", "trop", "fatigué"]


def test_the_reader_chooses_the_sentence_and_the_model(play):
    place = play(step=LONGEST, width=360, compact=True)
    press(place, "It was too wide")
    press(place, "To the end")
    assert french(place)[-5:] == ["elle", "était", "trop", "large", ".", "(end)"][1:]
    for model, lines in (("Transformer", True), ("fixed vector", False)):
        place.get_by_role("radio", name=model, exact=True).check()
        press(place, "To the end")
        assert (place.locator(".ac-sp-line").count() > 0) == lines
        truthful(place)
    width = place.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 360


SCORES = {
    "luong": "general",
    "luong_dot": "dot",
    "luong_concat": "concat",
    "luong_location": "location",
    "local_m": "local-m",
}


def test_with_another_score_the_lines_of_the_same_sentence_move(play):
    place = play(given={"models": [*SCORES]}, model="luong", moves=[[0, 3]], backward=False)
    kind(place, "The horse isn’t hungry")
    expect(place.locator("[data-target]").last).to_have_text("(end)", timeout=60_000)
    assert place.get_by_role("radio").count() == len(SCORES)
    drawn = []
    for model, score in SCORES.items():
        place.get_by_role("radio", name=score, exact=True).check()
        expect(place.locator("[data-target]").last).to_have_text("(end)", timeout=60_000)
        assert state_of(place)["model"] == model
        truthful(place)
        lines = place.locator(".ac-sp-line")
        drawn.append(lines.evaluate_all("all => all.map((one) => one.getAttribute('d'))"))
    assert len({*map(tuple, drawn)}) == len(SCORES)
    assert place.locator("[data-source]").all_text_contents() == [
        *("the", "horse", "is", "not", "hungry", "."),
    ]
    assert place.get_by_label("Switch off the backward reader").is_hidden()


@pytest.mark.parametrize(
    ("text", "said", "model"),
    [
        ("", "Write a sentence of the small world. It could begin with", "luong_concat"),
        ("the zebra sees the man", "“zebra” is not among the words", "luong_location"),
        ("the man the man", "up to “the man”; then “the” cannot follow. This could", "gnmt"),
        ("a dog ran and " * 20 + "a dog ran", "At most 60 words and marks", "local_m"),
        (
            "the man sees " + "the small dog and the man sees " * 33,
            "At most 300 characters",
            "transformer_2",
        ),
    ],
    ids=("empty", "unknown", "ungrammatical", "84 words", "200 words"),
)
def test_what_cannot_be_read_stays_and_is_said_in_words(play, text, said, model):
    place = play(model=model)
    place.get_by_label("Your English sentence").click()
    place.page.wait_for_function("document.querySelector('.ac-offer')")
    field = place.get_by_label("Your English sentence")
    field.fill(text)
    field.press("Escape")
    field.press("Enter")
    settled(place)
    expect(place.locator(".ac-below")).to_contain_text(said)
    assert field.input_value() == text
    assert state_of(place)["sentence"] == WorldPlayer().sentence
