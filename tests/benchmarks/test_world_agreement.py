"""Two writers, two parsers and exact probabilities of the small world, on drawn sentences."""

import copy

import pytest
import world_agreement as script
from small_world import data_hash

from attention_course.data.world import for_the_page
from attention_course.measure import recorded


@pytest.mark.parametrize("few", [200, pytest.param(3000, marks=pytest.mark.thorough)])
def test_python_and_the_page_agree_on_sentences_of_no_recorded_block(few):
    found = script.block(script.BLOCKS + few, few, 1)
    assert (found["sentences"], found["wrong"], found["examples"]) == (few, 0, [])
    assert found["translations"] >= 2 * few
    assert found["weighed"] == 2
    assert found["farthest"] < 1e-9


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda rules: rules["Noun"].reverse(), "written otherwise in JavaScript"),
        (lambda rules: rules["The"][1][2].reverse(), "other translations in JavaScript"),
    ],
    ids=["nouns in another order", "la is English"],
)
def test_a_page_with_another_grammar_is_noticed(spoil, fault):
    grammar = copy.deepcopy(for_the_page(script.world()))
    spoil(grammar["rules"])
    found = script.block(3, 60, 0, grammar)
    assert found["wrong"] > 0
    assert any(fault in said for *_, said in found["examples"])


def test_each_fault_has_its_words():
    pair, read = ("la fille dort .", "the girl sleeps ."), (["the girl sleeps ."], [])
    right = (read[0], ["la fille dort ."])
    assert script.faults((pair, right), (pair, right)) == []
    assert script.faults((pair, right), (("", ""), right))[0] == (
        "written otherwise in JavaScript"
    )
    assert script.faults((pair, read), (pair, right)) == [
        "Python does not read its english", "other translations in JavaScript"
    ]  # fmt: skip
    assert script.faults((pair, right), (pair, (read[0], [*right[1], "la dame dort ."]))) == [
        "other translations in JavaScript"
    ]


def test_a_probability_that_is_not_the_product_is_seen(monkeypatch):
    words = ["the", "girl", "sleeps", "."]
    assert script.apart(words, "english") < 1e-9
    after = script.next_words
    monkeypatch.setattr(
        script, "next_words", lambda *asked: {w: 0.9 * p for w, p in after(*asked).items()}
    )
    assert script.apart(words, "english") == pytest.approx(0.42, abs=0.01)  # 4 log(1 / 0.9)


def test_the_record_is_of_this_grammar_and_found_nothing_wrong():
    result, origin = recorded("world_agreement")
    assert origin["grammar"] == data_hash()
    assert origin["settings"] == {
        "blocks": script.BLOCKS, "sentences": script.SENTENCES, "weighed": script.WEIGHED
    }  # fmt: skip
    assert {int(seed) for seed in result} <= {*range(script.BLOCKS)}
    for seed, block in result.items():
        assert (block["sentences"], block["wrong"]) == (script.SENTENCES, 0), seed
        assert block["weighed"] == 2 * script.WEIGHED
        assert block["farthest"] < 1e-9


@pytest.mark.parametrize("which", [0, -1])
def test_the_recorded_sentences_are_drawn_again(which):
    result, _ = recorded("world_agreement")
    seed = sorted(result, key=int)[which]
    assert script.digest(script.drawn(int(seed), 50)) == result[seed]["digest"]
    assert script.digest(script.drawn(int(seed) + 1, 50)) != result[seed]["digest"]
