"""The look-up task, its model, and the statements drawn from it."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.data.lookup import N_DIGITS, N_PAIRS, N_WORDS, lookup_batch


def test_a_row_holds_the_asked_word_exactly_once():
    words, digits, asked, position = lookup_batch(np.random.RandomState(0), 200)
    assert words.shape == digits.shape == (200, N_PAIRS)
    assert np.array_equal((words == asked[:, None]).sum(axis=1), np.ones(200))
    assert np.array_equal(words[np.arange(200), position], asked)
    assert {words.max(), digits.max()} == {N_WORDS - 1, N_DIGITS - 1}


def test_the_answer_cannot_be_read_off_the_asked_word():
    _, digits, asked, position = lookup_batch(np.random.RandomState(0), 20_000)
    wanted = digits[np.arange(20_000), position]
    shares = [
        np.bincount(wanted[asked == w], minlength=10).max() / (asked == w).sum()
        for w in range(4)
    ]
    assert max(shares) < 0.16


def test_the_same_seed_draws_the_same_rows():
    one, two = (lookup_batch(np.random.RandomState(7), 5) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_a_small_start_gives_the_scaled_models_first_answer():
    batch = m.lookup_tensors(np.random.RandomState(1), 64)[:3]
    scaled, small = (
        m.LookupModel(method, 32, np.random.RandomState(0))(*batch)[1]
        for method in ("scaled", "unscaled, small start")
    )
    torch.testing.assert_close(scaled, small, atol=1e-5, rtol=0)


def test_initial_scores_have_the_spread_that_the_factor_assumes():
    model = m.LookupModel("scaled", 256, np.random.RandomState(0))
    words, _, asked, _ = m.lookup_tensors(np.random.RandomState(1), 500)
    q, k = model.asked[asked] @ model.W_q, model.words[words] @ model.W_k
    scores = model.attention.score(q[:, None], k)
    assert scores.std().item() == pytest.approx(1, abs=0.15)
