"""The player in Chromium, opened from disk: typed into, played, cut and compared."""

import pytest
from frames import settled
from opened import DAMAGED, SET, SHOWN, STATE, files, press, show, site
from playwright.sync_api import expect

from attention_course.data.world import Pair, deciders, parse
from attention_course.widgets import WorldPlayer
from attention_course.widgets.world_player.translate import LONGEST

__all__ = ["show", "site"]  # fixtures
pytestmark = pytest.mark.browser
CAT = "the cat eats a cake"
ANIMAL = "the animal did not cross the street because it was too tired ."
GIVEN = {"models": ["fixed", "attention", "transformer", "transformer_2"]}
CUTTABLE = ["attention", "transformer_2"]


@pytest.fixture
def play(show):
    return lambda sentence=CAT, given=GIVEN, **more: show(
        WorldPlayer, sentence=sentence, given=given, **more
    )


def state_of(place):
    return place.evaluate(STATE, [*WorldPlayer._state, "models"])


def truthful(place):
    """Whether the page shows what NumPy computes for its state."""
    settled(place)
    wanted = WorldPlayer(**state_of(place)).readouts()
    assert place.evaluate(SHOWN) == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    return wanted


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


@pytest.mark.parametrize("model", CUTTABLE)
def test_nothing_is_asked_for_before_the_reader_asks(play, model):
    place = play(model=model)
    page = place.page
    assert files(page) == ["player.html", "widget-host.js"]
    assert french(place) == []
    for _ in range(2):
        press(place, "Next ›")
    asked = [f"world_{model}.js", "world_fixed.js", "world.js"]
    assert sorted(files(page)[2:]) == sorted(asked)
    assert french(place) == ["le", "chat"]
    truthful(place)


@pytest.mark.parametrize("model", CUTTABLE)
def test_what_is_shown_is_what_numpy_computes(play, model):
    place = play(model=model)
    press(place, "To the end")
    assert len(truthful(place)) > 20
    press(place, "‹ Back")
    truthful(place)
    place.evaluate(SET, {"head": 2})
    truthful(place)


def test_it_plays_pauses_and_plays_to_the_end(play):
    place = play()
    press(place, "Play")
    expect(place.locator("[data-target]").nth(1)).to_be_visible()
    press(place, "Pause")
    assert 0 < state_of(place)["step"] < 7
    place.get_by_label("Speed").select_option("4 ×")
    press(place, "Play")
    expect(place.locator("[data-target]").last).to_have_text("(end)")
    expect(place.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert " ".join(french(place)) == "le chat mange un gâteau . (end)"


@pytest.mark.parametrize("choose", ["Reset", "from Python"])
def test_what_is_chosen_while_it_plays_ends_playing(play, choose):
    place = play(step=1)
    place.get_by_role("button", name="Play").press("Enter")
    expect(place.get_by_role("button", name="Pause")).to_be_visible()
    if choose == "Reset":
        place.get_by_role("button", name="Reset").press("Enter")
    else:
        place.evaluate(SET, {"step": 7})
    settled(place)
    assert place.get_by_role("button", name="Pause").count() == 0


def test_who_wants_no_motion_goes_by_hand(play):
    place = play(motion="reduce")
    assert place.get_by_role("button", name="Play", exact=True).count() == 0
    expect(place.get_by_text("there is no Play: press Next")).to_be_visible()
    press(place, "Next ›")
    assert french(place) == ["le"]


def test_a_focused_word_keeps_its_lines(play):
    place = play(step=LONGEST)
    assert place.locator(".ac-sp-own").count() == 0
    place.locator("[data-target='1']").focus()
    settled(place)
    assert place.locator(".ac-sp-own").count() > 0
    row = [truthful(place)[f"weight-1-{j}"] for j in range(6)]
    top = ("the", "cat", "eats", "a", "cake", ".")[row.index(max(row))]
    told = f"Word 2, “chat”, looks most at “{top}”: {max(row):.2f}"
    assert told in place.locator(".ac-readout").text_content()


# A cut, and the box that makes it, if there is one.
CUTS = [
    ("attention", {"moves": [[1, 0]]}, ""),
    ("attention", {"forbidden": [2]}, ""),
    ("attention", {"uniform": True}, "Look at all words alike"),
    ("attention", {"backward": False}, "Switch off the backward reader"),
    ("attention", {"forbidden": [0, 1, 2, 3, 4, 5]}, ""),
    ("transformer_2", {"moves": [[1, 0]]}, ""),
    ("transformer_2", {"forbidden": [2]}, ""),
    ("transformer_2", {"positions": False}, "Take the positions away"),
    ("transformer_2", {"silent": [3]}, "Silence head 4 of layer 1"),
    ("transformer_2", {"silent": [1], "blade": "other"}, ""),
]


@pytest.mark.parametrize(("model", "cut", "box"), CUTS, ids=str)
def test_a_box_or_python_sets_a_cut_and_the_page_obeys(play, model, cut, box):
    place = play(step=LONGEST, model=model)
    before = truthful(place)
    if box:
        place.get_by_label(box).press("Space")
    else:
        place.evaluate(SET, cut)
    assert truthful(place) != before
    assert cut.items() <= state_of(place).items()
    uncut = place.locator(".ac-sp-line-of-text:visible").first.text_content()
    assert uncut == "Without cuts: le chat mange un gâteau ."
    press(place, "Undo all cuts")
    assert truthful(place) == before
    assert place.locator(".ac-sp-own, .ac-sp-at").count() == 0


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("attention", "Switch off the backward reader"),
        ("transformer_2", "Silence head 1 of layer 1"),
    ],
)
def test_what_is_silenced_is_cut_by_the_blade_that_is_clicked(play, model, label):
    place = play(step=LONGEST, model=model)
    place.get_by_label(label).check()
    found = []
    for blade, text in (
        ("zero", "nothing"),
        ("mean", "its mean"),
        ("other", "another sentence’s"),
    ):
        place.get_by_role("radio", name=text, exact=True).check()
        found.append(truthful(place))
        assert state_of(place)["blade"] == blade
        assert f"({text} in its place)" in place.locator(".ac-readout").text_content()
    assert found[0] != found[1] != found[2] != found[0]
    press(place, "Undo all cuts")
    assert state_of(place)["blade"] == "other"


def test_only_what_a_model_has_is_there_to_be_cut(play):
    place = play(step=1)
    silence = place.get_by_label("Silence head")
    for name, heads, reader, blades in (
        ("Bahdanau", 0, 1, 3),
        ("Transformer", 4, 0, 3),
        ("Transformer (2)", 8, 0, 3),
        ("fixed vector", 0, 0, 0),
    ):
        place.get_by_role("radio", name=name, exact=True).check()
        settled(place)
        assert silence.locator("visible=true").count() == heads
        readers = place.get_by_label("Switch off the backward reader")
        assert readers.locator("visible=true").count() == reader
        replaced = place.get_by_role("group", name="In place of what is silenced")
        assert replaced.get_by_role("radio").locator("visible=true").count() == blades
        truthful(place)


def test_a_word_is_forbidden_by_keyboard(play):
    place = play(step=LONGEST)
    place.locator("[data-source='2']").press("Enter")
    assert state_of(place)["forbidden"] == [2]
    numbers = truthful(place)
    assert all(
        w == 0
        for name, w in numbers.items()
        if name.startswith("weight-") and name.endswith("-2")
    )
    assert place.locator("[data-source='2']").get_attribute("aria-pressed") == "true"


def test_a_gaze_is_moved_by_keyboard_and_let_go(play):
    place = play(step=LONGEST)
    place.locator("[data-target='1']").press("Enter")
    gaze = place.get_by_label("Word 2, “chat”, looks at")
    gaze.press("ArrowDown")
    settled(place)
    assert state_of(place)["moves"] == [[1, 0]]
    assert truthful(place)["weight-1-0"] == 1
    place.locator("select:visible").last.press("ArrowUp")
    settled(place)
    assert state_of(place)["moves"] == []


def test_a_gaze_is_moved_by_dragging_and_what_follows_follows(play):
    place = play(step=LONGEST)
    before = french(place)
    source, target = (
        place.locator(s).bounding_box() for s in ("[data-source='0']", "[data-target='1']")
    )
    mouse = place.page.mouse
    mouse.move(target["x"] + 8, target["y"] + 8)
    mouse.down()
    mouse.move(source["x"] + 8, source["y"] + 8, steps=8)
    mouse.up()
    settled(place)
    assert state_of(place)["moves"] == [[1, 0]]
    truthful(place)
    after = french(place)
    assert after[0] == before[0]
    assert after[1] != before[1]
    said = place.locator(".ac-readout").text_content()
    assert f"word 2 is “{after[1]}”, instead of “chat”" in said
    mouse.move(0, 0)
    press(place, "Undo all cuts")
    assert place.locator(".ac-sp-own, .ac-sp-at").count() == 0


def test_a_page_without_the_weights_says_so(play):
    place = play(models=False)
    press(place, "Next ›")
    error = place.locator("[role=alert]:visible")
    assert "does not lie beside this page" in error.text_content()
    recorded = place.locator(".ac-recorded")
    expect(recorded).to_contain_text(
        "English: the cat eats a cake The translator that looks back writes"
    )
    expect(recorded).to_be_visible()


@pytest.mark.parametrize("content", DAMAGED)
def test_damaged_weights_are_said_so_at_once_beside_the_recorded_run(play, content):
    place = play(models=content)
    expect(place.locator(".ac-recorded")).to_be_hidden()
    press(place, "Next ›")
    assert "or its file is damaged" in place.locator("[role=alert]:visible").text_content()
    expect(place.locator(".ac-recorded")).to_be_visible()
    assert ("SyntaxError" in str(place.page.said)) == content.startswith("(((")
    place.page.said.clear()
    press(place, "Reset")
    expect(place.locator(".ac-recorded")).to_be_hidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("model", CUTTABLE)
def test_nothing_sticks_out_on_a_phone(play, model, theme):
    place = play(ANIMAL, width=360, theme=theme, step=LONGEST, model=model)
    truthful(place)
    assert place.page.evaluate("document.documentElement.scrollWidth") <= 360


def kinds_of_lines(place):
    return [place.locator(f".ac-sp-{kind}").count() for kind in ("from", "decides")]


def test_a_typed_sentence_is_written_word_by_word_with_a_gloss_each(play):
    place = play()
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


def test_all_right_translations_of_an_ambiguous_sentence_are_named(play):
    place = play(step=LONGEST)
    place.get_by_label("Show what is true").check()
    place.get_by_label("Your English sentence").click()
    place.page.keyboard.press("Control+a")
    place.page.keyboard.type("The girl runs to the bank.")
    place.page.keyboard.press("Enter")
    press(place, "To the end")
    banks = {"banque", "rive"} & {*french(place)}
    (other,) = {"banque", "rive"} - banks
    said = f"Right too: “la fille court vers la {other} .”."
    expect(place.locator(".ac-sp-true")).to_contain_text(said)


def test_what_is_true_lies_beside_what_is_written_and_a_gaze_is_put_right(play):
    place = play(ANIMAL, step=LONGEST, moves=[[10, 6]])  # its gaze lies on the street
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
    place = play(ANIMAL, step=LONGEST, width=360, compact=True)
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
    place = play(ANIMAL[:-2], model=model)
    place.get_by_label("Your English sentence").click()
    place.page.wait_for_function("document.querySelector('.ac-offer')")
    field = place.get_by_label("Your English sentence")
    field.fill(text)
    field.press("Escape")
    field.press("Enter")
    settled(place)
    expect(place.locator(".ac-below")).to_contain_text(said)
    assert field.input_value() == text
    assert state_of(place)["sentence"] == ANIMAL[:-2]
    expect(place.locator(".ac-stage")).to_have_css("opacity", "0.55")  # of another sentence
