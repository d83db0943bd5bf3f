"""Slopes and means with Student's interval, and two settings compared by all of their runs."""

from itertools import combinations

import numpy as np
import pytest

from attention_course.measure.statistics import exponent, mean_interval, verdict

PAPER = [0.57, 0.61, 0.66]


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0, 3.0])
def test_an_exact_power_is_found_without_any_doubt(power):
    sizes = [64, 128, 256, 512]
    fit = exponent(sizes, [5.0 * n**power for n in sizes])
    assert fit.slope == pytest.approx(power, abs=1e-12)
    assert fit.high - fit.low < 1e-10


def test_the_interval_of_a_slope_is_students():
    x, noise = np.arange(1, 6.0), np.array([0.1, -0.2, 0.0, 0.2, -0.1])
    fit = exponent(np.exp(x), np.exp(2 * x + noise))
    slope, level = np.polyfit(x, 2 * x + noise, 1)
    left = 2 * x + noise - level - slope * x
    error = np.sqrt((left**2).sum() / 3 / ((x - 3) ** 2).sum())
    assert fit.slope == pytest.approx(slope)
    assert fit.high - fit.slope == pytest.approx(3.182 * error)  # t of 3 degrees of freedom
    rng = np.random.RandomState(2)
    fits = [exponent(np.exp(x), np.exp(2 * x + 0.1 * rng.randn(5))) for _ in range(400)]
    assert 370 <= sum(f.low <= 2 <= f.high for f in fits) <= 390


@pytest.mark.parametrize(
    ("sizes", "values", "said"),
    [
        ([2, 2, 2], [1, 2, 3], "expected three or more sizes, not all equal"),
        ([1, 2, 4], [1, -2, 3], "exponent: values must be .* above zero"),
        ([], [], "exponent: sizes must be finite numbers"),
    ],
)
def test_what_cannot_be_is_refused(sizes, values, said):
    with pytest.raises(ValueError, match=said):
        exponent(sizes, values)


def test_the_interval_holds_the_true_mean_in_95_of_100_experiments():
    rng = np.random.RandomState(0)
    mean, half = mean_interval(rng.standard_normal((4, 20_000)))
    assert abs((np.abs(mean) <= half).mean() - 0.95) < 0.01


@pytest.mark.parametrize("runs", [1, 12])
def test_the_interval_needs_some_runs_but_not_too_many(runs):
    with pytest.raises(ValueError, match="mean_interval: samples must be of two to 11 runs"):
        mean_interval(np.ones((runs, 3)))


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ([0.70, 0.75, 0.80], "better"),
        ([0.10, 0.00, 0.30], "worse"),
        ([0.70, 0.65, 0.80], "open"),
        ([0.10, 0.00, 0.60], "open"),
        (PAPER, "open"),
        ([0.66, 0.70, 0.80], "open"),
    ],
)
def test_one_run_on_the_wrong_side_leaves_it_open(runs, says):
    assert verdict(runs, PAPER) == says


def test_the_verdict_turns_round_with_its_arguments():
    assert verdict([0.1, 0.2], [0.3, 0.4]) == "worse"
    assert verdict([0.3, 0.4], [0.1, 0.2]) == "better"


def test_of_runs_that_are_alike_one_in_twenty_groupings_is_wholly_above():
    ranks = range(6)
    above = [
        verdict(ours, [r for r in ranks if r not in ours]) == "better"
        for ours in combinations(ranks, 3)
    ]
    assert sum(above) == 1
    assert len(above) == 20


def test_no_runs_no_verdict():
    with pytest.raises(ValueError, match="verdict: ours and theirs must hold at least one run"):
        verdict([], PAPER)
