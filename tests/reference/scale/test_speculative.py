"""Guessing ahead writes from the large model's distribution."""

import numpy as np
import pytest

from attention_course.reference.scale.speculative import (
    acceptance,
    keep_guesses,
    tokens_per_pass,
    written_by_guessing,
)


def distributions(rng, n, symbols=7, spread=1.0):
    p = rng.dirichlet(np.full(symbols, spread), n)
    p[0, 2] = 0
    return p / p.sum(-1, keepdims=True)


def test_what_is_written_has_the_large_models_distribution():
    rng = np.random.RandomState(0)
    for spread in (0.1, 1.0, 20.0):
        pairs = zip(distributions(rng, 50, spread=spread), distributions(rng, 50), strict=True)
        for p, q in pairs:
            assert np.abs(written_by_guessing(p, q) - p).max() < 1e-12


def test_guesses_that_are_drawn_and_kept_have_that_distribution():
    rng = np.random.RandomState(2)
    p, q = distributions(rng, 3, 4), distributions(rng, 2, 4)
    first, second = np.zeros(4), np.zeros(4)
    for _ in range(5000):
        guesses = np.array([rng.choice(4, p=row) for row in q])
        written = keep_guesses(p, q, guesses, rng)
        first[written[0]] += 1
        if len(written) > 1:
            second[written[1]] += 1
    # p does not depend on the text here, so the second symbol has the second row.
    assert np.abs(first / first.sum() - p[0]).max() < 0.03
    assert np.abs(second / second.sum() - p[1]).max() < 0.04


def test_the_chance_to_be_kept_is_what_both_have_in_common():
    p, q = np.array([[0.5, 0.25, 0.25], [1, 0, 0]]), np.array([[0.25, 0.75, 0], [0, 0.5, 0.5]])
    assert acceptance(p, q).tolist() == [0.5, 0.0]
    rng = np.random.RandomState(3)
    p, q = distributions(rng, 20), distributions(rng, 20)
    assert np.allclose(acceptance(p, q), 1 - np.abs(p - q).sum(-1) / 2)


def test_tokens_of_a_pass_are_counted_as_they_come():
    rng = np.random.RandomState(4)
    for kept, guesses in ((0.0, 3), (0.6, 4), (1.0, 5)):
        runs = rng.rand(20000, guesses) < kept
        counted = 1 + np.cumprod(runs, axis=1).sum(1)
        assert abs(counted.mean() - tokens_per_pass(kept, guesses)) < 0.04


@pytest.mark.parametrize("guesses", [-1, 1.5])
def test_a_bad_number_of_guesses_is_refused(guesses):
    with pytest.raises(ValueError, match="tokens_per_pass: guesses must be a whole number"):
        tokens_per_pass(0.5, guesses)
