"""Every conclusion of ``recurrent/local-and-hard`` can come out False."""

import numpy as np
import pytest

from attention_course.claims import (
    always_below,
    bounded_by_reach,
    moves_backwards,
    within_chance,
)


def test_a_mean_of_unbiased_estimates_is_within_chance():
    draws = np.random.RandomState(0).standard_normal((400, 3))
    distance = np.linalg.norm(draws.mean(0))
    assert within_chance(distance, (draws**2).sum(1).mean(), 400)


@pytest.mark.parametrize("bias", [0.5, 2.0])
def test_a_mean_of_biased_estimates_is_not(bias):
    draws = np.random.RandomState(0).standard_normal((400, 3)) + bias
    distance = np.linalg.norm(draws.mean(0))
    assert not within_chance(distance, (draws - bias).var(0).sum(), 400)


def test_no_estimates_are_refused():
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        within_chance(0.0, 1.0, 0)


REACH = {"8": 0.25, "12": 0.17}


def test_an_accuracy_below_reach_and_guessing_is_bounded():
    assert bounded_by_reach({"8": 0.29, "12": 0.1}, REACH, 0.05)


@pytest.mark.parametrize("accuracy", [{"8": 0.29, "12": 0.4}, {"8": 1.0, "12": 1.0}])
def test_a_model_that_sees_past_its_window_is_noticed(accuracy):
    assert not bounded_by_reach(accuracy, REACH, 0.05)


def test_other_lengths_are_refused():
    with pytest.raises(ValueError, match="must be of the same lengths"):
        bounded_by_reach({"8": 0.1}, REACH, 0.05)


@pytest.mark.parametrize(
    "centres",
    [
        [0.0, 1.0, 2.0, 3.0, 4.0],  # forwards
        [2.0] * 5,  # stays
        [4.0, 3.0, 2.9, 2.8, 2.7],  # hardly moves
        [4.0, 1.0, 3.5, 1.0, 0.0],  # jumps back
    ],
)
def test_a_centre_that_does_not_cross_the_source_backwards_is_noticed(centres):
    assert not moves_backwards(centres)


def test_one_step_is_no_movement():
    with pytest.raises(ValueError, match="at least two, got 1"):
        moves_backwards([1.0])


def test_one_run_of_the_better_method_that_is_worse_spoils_the_order():
    assert always_below([0.2, 0.25], [0.9, 1.0])
    assert not always_below([0.2, 0.95], [0.9, 1.0])
