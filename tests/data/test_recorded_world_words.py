"""The language model of the small world: its weights do what the record says."""

import numpy as np
import pytest
import world_words as script
from records import assert_same_steps, assert_told_apart
from shared import learn

from attention_course.data.packed import pack_words
from attention_course.data.world import Beginning, next_words
from attention_course.measure import recorded
from attention_course.widgets.living_sentence.read import numbers_of, reading_of, surprise


def test_the_weights_of_the_page_have_the_recorded_loss_near_the_floor():
    result, about = recorded("world_words")
    tests = script.sentences(script.SEED + 1, script.TEST)
    tests = [words for words in tests if len(words) <= script.LONGEST]
    rows = [numbers_of([*words], "world") for words in tests]
    lost = [surprise(reading_of(row, model="world").logits, row) for row in rows]
    assert np.concatenate(lost).mean() == pytest.approx(result["loss"], abs=1e-4)
    assert sum(map(len, lost)) == result["words"]
    assert 0 < result["loss"] - result["floor"] < 0.1
    assert result["bytes"] == len(pack_words("world_words"))
    assert about["settings"]["steps"] == script.STEPS
    assert about["settings"].items() >= script.SIZES.items()


@pytest.mark.slow
def test_its_first_steps_come_again_and_no_other_seeds():
    draw = script.windows(script.sentences(script.SEED, script.WRITTEN))
    setting = {"steps": 3, "lr": script.rate}
    losses = []
    for seed in (script.SEED, script.SEED + 1):
        model, rng = script.new_model(seed)
        losses.append(learn(model, draw, script.loss_of, rng, setting)[1]["first_losses"])
    assert_same_steps(losses[0], recorded("world_words")[0]["first_losses"])
    assert_told_apart(losses)


def test_the_floor_is_what_the_grammar_says_of_whole_sentences():
    """Word by word it is as much as the sentence at once, less its first word."""
    words = ("the", "boy", "sleeps", ".")
    whole = Beginning(words, "english").probability() / next_words([], "english")["the"]
    assert script.floor([words]) == pytest.approx(-np.log(whole) / 3, rel=1e-9)
