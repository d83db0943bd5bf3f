"""Intervals that hold what they should, pairs that leave out what is common, and slopes."""

import numpy as np
import pytest

from attention_course.measure.statistics import exponent, median_interval, paired_ratio


def test_the_interval_of_a_median_holds_the_truth_in_about_95_of_100_repetitions():
    rng = np.random.RandomState(1)
    held = 0
    for _ in range(200):
        found = median_interval(rng.exponential(size=40))
        held += found.low <= np.log(2) <= found.high
    assert 180 <= held <= 199


def test_a_slow_moment_moves_both_of_a_pair_and_not_their_ratio():
    rng = np.random.RandomState(0)
    busy = np.exp(rng.randn(40))
    found = paired_ratio(3 * busy, busy * (1 + 0.01 * rng.randn(40)))
    assert found.value == pytest.approx(3, rel=0.01)
    assert found.high - found.low < 0.05
    alone = median_interval(3 * busy)
    assert alone.high / alone.low > 1.3


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
    ("call", "said"),
    [
        (lambda: median_interval([]), "median_interval: samples must be finite numbers"),
        (lambda: paired_ratio([1.0], [0.0]), "paired_ratio: under must be .* above zero"),
        (lambda: paired_ratio([1.0, 2.0], [1.0]), "expected as many rounds, got 2 and 1"),
        (lambda: exponent([2, 2, 2], [1, 2, 3]), "expected three or more sizes, not all equal"),
        (lambda: exponent([1, 2, 4], [1, -2, 3]), "exponent: values must be .* above zero"),
    ],
)
def test_what_cannot_be_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
