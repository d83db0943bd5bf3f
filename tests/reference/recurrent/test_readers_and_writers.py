"""Readers of a memory, what draws at random, and decoders that write: no rival says these."""

import numpy as np
import pytest
from rows import draws

from attention_course import reference as r
from attention_course.reference import (
    constrained_read_back,
    fit_read_out,
    last_states,
    linear_memory,
    orthogonal_matrix,
    read_out_recall,
    recall_by_position,
)


@pytest.mark.parametrize("d", [1, 2, 7])
def test_an_orthogonal_matrix_keeps_every_length(d):
    Q = orthogonal_matrix(d, np.random.RandomState(0))
    assert np.abs(Q.T @ Q - np.eye(d)).max() < 1e-12


def test_the_recall_of_states_is_that_of_the_memory_it_takes_apart():
    rng, again = np.random.RandomState(3), np.random.RandomState(3)
    whole = recall_by_position(12, 20, rng, tested=300, count=500)
    W, E = orthogonal_matrix(20, again), again.standard_normal((10, 20)) / np.sqrt(20)
    old, new = again.randint(10, size=(500, 12)), again.randint(10, size=(300, 12))
    parts = read_out_recall(linear_memory(old, W, E), old, linear_memory(new, W, E), new)
    assert np.array_equal(whole, parts)


def test_a_state_that_contracts_forgets_its_first_token_and_keeps_its_last():
    rng = np.random.RandomState(0)
    W, E = rng.standard_normal((24, 24)), 0.4 * rng.standard_normal((10, 24))
    W *= 0.9 / np.abs(np.linalg.eigvals(W)).max()
    recalled = {}
    for n in (2, 20):
        old, new = rng.randint(10, size=(2000, n)), rng.randint(10, size=(1000, n))
        states = last_states(old, W, E), last_states(new, W, E)
        recalled[n] = read_out_recall(states[0], old, states[1], new)
    assert recalled[2].min() == 1.0
    assert abs(recalled[20][0] - 0.1) < 0.05
    assert recalled[20][-1] > 0.95


def test_recall_is_perfect_when_the_state_has_room_and_falls_when_it_has_not():
    rng = np.random.RandomState(0)
    short = recall_by_position(4, 48, rng, count=800, tested=200)
    long = recall_by_position(40, 48, rng, count=800, tested=200)
    assert short.shape == (4,)
    assert short.min() == 1.0
    assert long.mean() < 0.6


def test_the_read_out_is_the_one_with_the_least_penalised_error():
    rng = np.random.RandomState(0)
    W, E, M = fit_read_out(3, 4, rng, symbols=5, count=30)
    again = np.random.RandomState(0)
    orthogonal_matrix(4, again), again.standard_normal((5, 4))
    tokens = again.randint(5, size=(30, 3))
    H = np.column_stack([linear_memory(tokens, W, E), np.ones(30)])
    X = np.eye(5)[tokens].reshape(30, 15)

    def cost(matrix):
        return ((H @ matrix - X) ** 2).sum() + 1e-3 * (matrix**2).sum()

    best = M.reshape(5, 15)
    for _ in range(20):
        assert cost(best) < cost(best + 1e-3 * rng.standard_normal(best.shape))


def memory(length, d=24, count=60, symbols=10):
    rng = np.random.RandomState(2)
    W, E = orthogonal_matrix(d, rng), rng.standard_normal((symbols, d))
    tokens = rng.randint(symbols, size=(count, length))
    return tokens, linear_memory(tokens, W, E), W, E


def test_what_the_constrained_reader_finds_explains_the_state_wherever_it_finds_it_all():
    tokens, states, W, E = memory(8)
    guesses = constrained_read_back(states, W, E, 8)
    found = (guesses == tokens).all(axis=1)
    assert found.mean() > 0.9
    gaps = np.abs(linear_memory(guesses, W, E) - states).max(axis=1)
    assert gaps[found].max() < 1e-9
    assert gaps[~found].min(initial=1) > 1e-3


def test_the_constrained_reader_reads_one_token_and_one_kind():
    tokens, states, W, E = memory(1, d=5)
    assert np.array_equal(constrained_read_back(states, W, E, 1), tokens)
    tokens, states, W, E = memory(3, d=2, symbols=1)
    assert np.array_equal(constrained_read_back(states, W, E, 3), tokens)


# Choices at random.


def test_the_largest_noisy_score_falls_as_the_softmax_says():
    E = np.array([1.0, 0.0, 0.5, -0.5, 0.2])
    noise = r.gumbel_noise((40_000, 5), np.random.RandomState(3))
    shares = np.bincount((E + noise).argmax(1)) / 40_000
    assert np.abs(shares - r.softmax(E)).max() < 4 * np.sqrt(0.25 / 40_000)
    assert noise.mean() == pytest.approx(0.5772, abs=0.02)
    assert noise.var() == pytest.approx(np.pi**2 / 6, rel=0.03)


def test_noise_is_finite_where_the_uniform_number_is_zero():
    class Zero(np.random.RandomState):
        def random_sample(self, size=None):
            return np.zeros(size)

    assert np.isfinite(r.gumbel_noise((2,), Zero(0))).all()


# What a decoder writes.


@pytest.mark.parametrize("seed", range(6))
def test_what_is_written_is_the_likeliest_symbol_of_every_step(seed):
    *gru, embedding, W_out, b_out, context = draws(
        seed, (9, 5), (9, 3), 9, 9, (7, 5), (7, 3), 7, 3
    )
    given = context, embedding, tuple(gru), W_out
    written = r.write_by_loops(*given, b_out, longest=9)
    logits = r.decode_by_loops(context, [1, *written[:-1]], *given[1:], b_out)
    assert written == logits.argmax(axis=1).tolist()
    assert written[-1] == 2 or len(written) == 9
    assert 2 not in written[:-1]
    never, at_once = (b_out + sign * 1e3 * (np.arange(7) == 2) for sign in (-1, 1))
    assert r.write_by_loops(*given, at_once) == [2]
    assert len(r.write_by_loops(*given, never, longest=7)) == 7
    assert len(r.write_by_loops(*given, at_once, end=0, longest=5)) == 5
