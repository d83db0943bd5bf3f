"""Two writers, two parsers and exact probabilities of the small world, on drawn sentences."""

import copy
import os

import pytest
import world_agreement as script
from small_world import data_hash

from attention_course.data.world import for_the_page
from attention_course.measure import recorded

FEW = 2000 if os.environ.get("THOROUGH") else 200


def test_python_and_the_page_agree_on_sentences_of_no_recorded_block():
    found = script.block(script.BLOCKS + 1, FEW, 1)
    assert (found["sentences"], found["wrong"], found["examples"]) == (FEW, 0, [])
    assert found["translations"] >= 2 * FEW
    assert found["weighed"] == 2
    assert found["farthest"] < 1e-9


def test_a_page_without_agreement_or_with_other_words_is_noticed():
    grammar = copy.deepcopy(for_the_page(script.world()))
    for _, children, *_ in grammar["rules"]["NP"]:
        for _, features in children:
            features.pop("g", None)
    found = script.block(3, 30, 0, grammar)
    faults = {fault for *_, fault in found["examples"]}
    assert found["wrong"] > 10
    assert faults & {"written otherwise in JavaScript", "other translations in JavaScript"}


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
