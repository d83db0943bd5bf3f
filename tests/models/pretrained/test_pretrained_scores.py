"""Scores of heads against loops, and p-values that chance gives as often as they say."""

import numpy as np
import pytest

from attention_course import models as m
from attention_course.models.pretrained.scores import bootstrap_interval, points_to

WEIGHTS = np.tril(np.random.RandomState(0).rand(3, 8, 8))
WEIGHTS /= WEIGHTS.sum(-1, keepdims=True)


@pytest.mark.parametrize("steps", [0, 1, 3, -1])
def test_looks_back_by_loops(steps):
    wanted = [[w[i, i - steps] for i in range(8) if 0 <= i - steps < 8] for w in WEIGHTS]
    np.testing.assert_allclose(m.looks_back(WEIGHTS, steps), np.mean(wanted, axis=1))


def test_first_and_induction_by_loops():
    first = [np.mean([w[i, 0] for i in range(1, 8)]) for w in WEIGHTS]
    behind = [np.mean([w[i, i - 4 + 1] for i in range(4, 8)]) for w in WEIGHTS]
    np.testing.assert_allclose(m.looks_first(WEIGHTS), first)
    np.testing.assert_allclose(m.induction_scores(WEIGHTS, 4), behind)
    assert not np.allclose(m.induction_scores(WEIGHTS, 4), m.looks_back(WEIGHTS, 4))


def test_points_to_by_loops():
    words = np.array([0, 1, 1, 0, 1, 1, 1, 0], bool)
    keys = np.flatnonzero(words)
    for head, found in zip(WEIGHTS, points_to(WEIGHTS, words), strict=True):
        for i, row in enumerate(head):
            assert found[i] == max((j for j in keys if j != i), key=lambda j, row=row: row[j])
    marks_too = points_to(WEIGHTS, np.ones(8, bool))
    assert (points_to(WEIGHTS, words) != marks_too).any()
    assert (points_to(WEIGHTS, words) != np.where(words, WEIGHTS, -1).argmax(-1)).any()


def test_a_head_that_never_swings_has_no_small_p_value_and_gives_none_to_others():
    """0 divided by 0 compares with nothing, and once made every p-value the smallest."""
    swings = np.random.RandomState(0).normal(size=(12, 4))
    wanted = m.flip_p_values(swings, np.random.RandomState(0), 100)
    still = np.c_[swings, np.zeros(12)]
    found = m.flip_p_values(still, np.random.RandomState(0), 100)
    for p, one in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(p, [*one, 1.0])


def test_p_values_are_the_shares_of_all_flips():
    swings = np.random.RandomState(1).normal(0.4, 1, (6, 3))
    alone, corrected = m.flip_p_values(swings, np.random.RandomState(0), 4000)
    flips = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T
    drawn = np.array([np.abs(m.t_statistic(f[:, None] * swings)) for f in flips])
    seen = np.abs(m.t_statistic(swings)) - 1e-9
    np.testing.assert_allclose(alone, (drawn >= seen).mean(0), atol=0.03)
    np.testing.assert_allclose(corrected, (drawn.max(1)[:, None] >= seen).mean(0), atol=0.03)


def test_without_an_effect_the_smallest_corrected_p_is_seldom_small():
    """Of 60 heads that do nothing, one alone is nearly always below 0.05; corrected, seldom."""
    found = []
    for seed in range(60):
        rng = np.random.RandomState(seed)
        found.append([p.min() for p in m.flip_p_values(rng.normal(size=(15, 60)), rng, 100)])
    alone, corrected = (np.array(found) < 0.05).mean(0)
    assert alone > 0.85
    assert corrected < 0.15


def test_an_interval_by_resampling_is_students_where_that_holds_and_has_95_in_100():
    rng = np.random.RandomState(0)
    many = 2 + rng.randn(60, 300)
    low, high = bootstrap_interval(many, rng, 1000)
    half = 2.001 * many.std(0, ddof=1) / 60**0.5  # t of 59 degrees of freedom
    np.testing.assert_allclose((high - low) / 2, half, rtol=0.15)
    assert 0.91 <= ((low < 2) & (high > 2)).mean() <= 0.97
    # Each head is drawn with the others, so pairs stay pairs.
    low, high = bootstrap_interval(np.stack([many[:, 0], many[:, 0] + 1], 1), rng)
    np.testing.assert_allclose(low[1] - low[0], 1)
    assert np.subtract(*bootstrap_interval(np.full(5, 0.3), rng)) == 0


@pytest.mark.parametrize("values", [[1.0], [1.0, np.nan], []])
def test_an_interval_needs_two_cases_and_finite_numbers(values):
    with pytest.raises(ValueError, match="values must be finite, of two cases or more, got"):
        bootstrap_interval(np.array(values), np.random.RandomState(0))
