"""The course's sentence in Python: its state, what it computes, and its fallback."""

import re

import numpy as np
import pytest

from attention_course.data.world import next_words, vocabulary
from attention_course.data.world.links import LINKS
from attention_course.measure import recorded
from attention_course.reference.softmax import softmax
from attention_course.site.assets import MODELS, write_models
from attention_course.widgets import LivingSentence
from attention_course.widgets.living_sentence.read import ALL_CUTS, BLADES, ORDER, PARTS, load
from attention_course.widgets.living_sentence.widget import VIEWS


def test_python_sees_and_sets_what_the_page_shows():
    widget = LivingSentence()
    assert widget.readouts() == {}
    before, logits = widget.next_words(2), widget.logits()
    assert logits.shape == (11, 303)
    assert before[0][1] == pytest.approx(softmax(logits[-1]).max())
    widget.cuts = ["layer-1"]
    assert widget.next_words(1)[0][0] != before[0][0]
    likeliest, widget.written = widget.next_words(1)[0][0], 3
    assert len(widget.words()) == 14
    assert widget.words()[11] == likeliest


def test_what_stands_in_place_of_a_part_changes_the_guess():
    widget = LivingSentence(cuts=["attention-1"])
    found = []
    for blade in BLADES:
        widget.blade = blade
        found.append(widget.next_words(3))
    assert len({str(words) for words in found}) == 3


def test_an_exchange_reads_other_words_and_compares_with_the_first_ones():
    widget = LivingSentence(view="positions", exchanged=[1, 6], alive=True)
    assert (widget.words()[1], widget.words()[6]) == ("street", "animal")
    found = widget.readouts()
    assert found["loss"] != found["loss-free"]
    widget.exchanged = [1, 40]
    assert widget.readouts()["loss"] == found["loss-free"]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_read_outs_of_its_own_and_a_single_word_is_a_sentence(view):
    whole = LivingSentence(view=view, alive=True).readouts()
    single = LivingSentence(view=view, sentence="who", alive=True).readouts()
    assert all(np.isfinite(x) for x in [*whole.values(), *single.values()])
    assert "loss" not in single
    assert {*single} - {*whole} == set()


def test_what_each_cut_costs_is_what_was_recorded():
    result, about = recorded("world_cuts")
    costs, looks = (LivingSentence._constants[key] for key in ("COSTS", "LOOKS"))
    bladed = {f"{part} {blade}" for part in PARTS for blade in BLADES[1:]}
    assert {*costs} == {*ALL_CUTS} | bladed
    assert {*result["cuts"]} >= {*ALL_CUTS, "attention-all", "uniform-all"}
    for cut, cost in costs.items():
        cut_name, *blade = cut.split()
        found = result["cuts"][cut_name]
        wanted = found[blade[0]] if blade else found
        assert cost == pytest.approx(wanted["cost"], abs=0.005)
    assert about["order"] == ORDER
    assert {*looks} == {c for c in ALL_CUTS if c.startswith("head")}


def test_a_head_is_told_what_was_recorded_of_it():
    found = recorded("world_cuts")[0]["functions"]
    told = LivingSentence._constants["LOOKS"]["head-4-3"]
    assert {*found} == {*LINKS}
    for kind, (right, chance) in zip(LINKS, told, strict=True):
        assert right == pytest.approx(found[kind]["heads"]["head-4-3"][0], abs=0.005)
        assert chance == pytest.approx(found[kind]["chance"], abs=0.005)


def test_it_writes_no_further_than_the_model_reads():
    assert len(LivingSentence(sentence="the " * 40, written=24).words()) == 48


def test_the_fallback_has_the_sentence_the_next_word_and_the_weights():
    widget = LivingSentence(sentence='"The king" wears a')
    assert "&quot;The king&quot;" in widget.fallback
    assert widget.next_words(1)[0][0] in widget.fallback
    weights = re.findall(r"<td>(.*?)</td>", widget.fallback)
    assert sum(map(float, weights)) == pytest.approx(1, abs=0.05)


def test_the_fallback_of_the_whole_model_says_what_each_part_makes_of_the_last_word():
    widget = LivingSentence(view="whole")
    rows = re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td>', widget.fallback)
    assert [rows[0][0], *(name for name, _ in rows[-2:])] == [
        "feed-forward 4",
        "position",
        "word",
    ]
    assert (rows[0][1], rows[-1][1]) == (widget.next_words(1)[0][0], "too")


def test_the_model_knows_the_small_worlds_words_and_expects_what_may_follow():
    widget = LivingSentence(alive=True)
    assert (*load().symbols[3:],) == vocabulary("english")
    can = next_words(widget.sentence.split(), "english")
    assert sum(p for word, p in widget.next_words(400) if word in can) > 0.9
    whole = widget.readouts()
    widget.sentence = "The animal didn’t cross the street because IT WAS too"
    assert widget.readouts() == whole
    for blade in BLADES:
        widget.cuts, widget.blade = ["layer-1", "head-2-1"], blade
        found = widget.readouts()
        assert np.isfinite([*found.values()]).all()
        assert found["loss"] > found["loss-free"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("the zebra sleeps", "no english word 'zebra'"),
        ("didnt " * 25, "at most 48 words and marks, got 50"),
    ],
)
def test_the_model_is_asked_for_no_other_words(sentence, expected):
    with pytest.raises(ValueError, match=expected):
        LivingSentence(sentence=sentence)
