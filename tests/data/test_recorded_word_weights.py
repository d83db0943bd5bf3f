"""Weights and cuts of words agree as the record says, sentence by sentence."""

import random

import numpy as np
import pytest
import torch
import word_weights as script

from attention_course.data.world import Pair, write
from attention_course.measure import recorded

RESULT, ABOUT = recorded("word_weights")


def test_a_few_sentences_come_again_with_their_controls():
    rng = random.Random(script.SEED + 2)
    rows = script.encoded([Pair(write(rng)).english for _ in range(script.CUT)])
    again = script.measured(script.model_of(script.SEED), rows, 5)
    for name, row in again.items():
        stored = np.array(RESULT["0"][name].split(), float)
        assert len(stored) == script.SENTENCES
        near = 1 if "first" in name else 0.1  # rounding may let two words trade ranks
        assert np.array(row.split(), float) == pytest.approx(stored[:5], abs=near)
    assert {f"other-{k}" for k in range(ABOUT["draws"])} < {*again}


def test_a_cut_word_reaches_no_later_word_and_nothing_before_it():
    model = script.model_of(script.SEED)
    row = script.encoded([("the", "king", "wears", "the", "coat", ".")])[0]
    weights, changes = script.cut_words(model, row)
    assert (np.triu(changes) < 1e-6).all()
    assert (changes[np.tril_indices(5, -1)] > 1e-9).all()
    assert np.allclose(weights.sum(-1), 1, atol=1e-5)
    other = row.copy()
    other[1] = script.encoded([("the", "boy")])[0][1]
    may = script.past(5)
    may[0, 2:, 1] = False
    one, two = (script.read(model, r, may)[1][0] for r in (row, other))
    assert one[2:] == pytest.approx(two[2:], abs=1e-5)


def test_ranks_that_agree_and_that_are_reversed():
    falling = np.tri(6) * -np.arange(6)
    assert script.agreement(np.tri(6) * np.arange(6), falling) == (pytest.approx(-1), 0)
    assert script.agreement(falling, falling) == (pytest.approx(1), 3)
    assert torch.equal(script.past(2)[0], torch.tensor([[True, False], [True, True]]))
