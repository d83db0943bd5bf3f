"""Slopes: the power of a size, with Student's interval."""

import numpy as np
import pytest

from attention_course.measure.statistics import exponent


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
