"""Every conclusion of ``why/rnn-bottleneck`` can come out False: made-up runs that do it."""

import numpy as np
import pytest

from attention_course.claims import (
    always_below,
    at_chance,
    equally_bad,
    gets_worse,
    interval,
    learnt,
    vanishes,
)

LENGTHS = range(4, 16)


def test_errors_that_rise_with_length_get_worse():
    assert gets_worse({n: 0.05 + 0.02 * n for n in LENGTHS})


@pytest.mark.parametrize(
    "errors",
    [
        dict.fromkeys(LENGTHS, 0.12),
        {n: 0.5 - 0.02 * n for n in LENGTHS},
        {n: 0.12 + 0.001 * n for n in LENGTHS},
    ],
)
def test_flat_or_falling_errors_do_not_get_worse(errors):
    assert not gets_worse(errors)


def test_the_order_in_which_lengths_come_does_not_matter():
    rising = {n: 0.02 * n for n in LENGTHS}
    assert gets_worse(dict(reversed(rising.items())))


def test_too_few_lengths_are_refused():
    with pytest.raises(
        ValueError, match="gets_worse: errors must hold at least 6 lengths, got 2"
    ):
        gets_worse({4: 0.1, 5: 0.2})


def test_a_guesser_is_at_chance_and_a_tagger_that_looks_ahead_is_not():
    rng = np.random.RandomState(0)
    guessed = (rng.randint(26, size=4000) == rng.randint(26, size=4000)).mean()
    assert at_chance(guessed, 1 / 26, 4000)
    assert not at_chance(0.1, 1 / 26, 4000)
    assert not at_chance(0.0, 1 / 26, 4000)


def test_one_position_that_is_guessed_is_not_learnt():
    assert learnt([0.99, 0.97, 1.0])
    assert not learnt([0.99, 1 / 26, 1.0])
    assert not learnt([0.85], at_least=0.9)
    assert not learnt([0.0], at_least=0.1)


def test_without_shares_nothing_can_be_said():
    with pytest.raises(ValueError, match="learnt: shares must hold at least one, got none"):
        learnt([])


def test_a_memory_that_loses_the_beginning_first_is_not_equally_bad():
    assert equally_bad(np.full(32, 0.55))
    assert not equally_bad(np.linspace(0.2, 0.9, 32))
    assert not equally_bad(np.linspace(0.9, 0.2, 32))


def test_an_even_gradient_does_not_vanish():
    assert vanishes(0.5 ** np.arange(100, 0, -1))
    assert not vanishes(np.ones(100))
    assert not vanishes(0.9 ** np.arange(100, 0, -1.0))


def test_one_overlapping_run_is_enough_to_spoil_the_comparison():
    assert always_below([0.10, 0.12, 0.11], [0.2, 0.3, 0.25])
    assert not always_below([0.10, 0.22, 0.11], [0.2, 0.3, 0.25])
    assert not always_below([0.2], [0.2])


def test_the_interval_holds_the_true_mean_in_95_of_100_experiments():
    rng = np.random.RandomState(0)
    mean, half = interval(rng.standard_normal((4, 20_000)))
    assert abs((np.abs(mean) <= half).mean() - 0.95) < 0.01


@pytest.mark.parametrize("runs", [1, 11])
def test_the_interval_needs_some_runs_but_not_too_many(runs):
    with pytest.raises(ValueError, match="interval: samples must be two to ten runs"):
        interval(np.ones((runs, 3)))
