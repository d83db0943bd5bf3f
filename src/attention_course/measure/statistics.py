"""Medians with intervals, paired ratios, and slopes: no mean, no lone number."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Numbers = Sequence[float] | np.ndarray

# Student's t, two-sided 95 %, for 1, 2, ... degrees of freedom; the last serves for more.
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
_RESAMPLES = 2000


class Interval(NamedTuple):
    """A number that was measured, with the interval that holds it in 95 of 100 repetitions.

    Attributes:
        value: the median, or what the function says.
        low: the interval's lower end.
        high: its upper end.
    """

    value: float
    low: float
    high: float


class Fit(NamedTuple):
    """A power law fitted on logarithmic axes.

    Attributes:
        slope: the exponent.
        low: lower end of its 95 % interval.
        high: upper end.
    """

    slope: float
    low: float
    high: float


def median_interval(samples: Numbers) -> Interval:
    """Return the median with its bootstrap interval.

    Args:
        samples: measurements of one thing.

    Returns:
        The median, and the central 95 % of the medians of samples drawn anew; the same
        samples give the same interval.

    Raises:
        ValueError: if a sample is missing or not finite.

    Source:
        Efron and Tibshirani, An Introduction to the Bootstrap (1993), the percentile interval.

    >>> median_interval([3.0, 1.0, 2.0]).value
    2.0
    """
    x = _finite("median_interval", "samples", samples)
    return _interval(x)


def paired_ratio(over: Numbers, under: Numbers) -> Interval:
    """Return the median of the ratios of what was measured in the same rounds.

    What slows the machine for a moment slows both sides of a pair, and leaves their ratio.

    Args:
        over: measurements, one a round.
        under: those of the same rounds, by which they are divided.

    Returns:
        The median ratio with its bootstrap interval.

    Raises:
        ValueError: if the rounds differ in number, or a number is not finite or not above zero.

    >>> paired_ratio([2.0, 40.0, 2.2], [1.0, 20.0, 1.0]).value
    2.0
    """
    a = _finite("paired_ratio", "over", over, positive=True)
    b = _finite("paired_ratio", "under", under, positive=True)
    if len(a) != len(b):
        raise ValueError(f"paired_ratio: expected as many rounds, got {len(a)} and {len(b)}")
    return _interval(a / b)


def exponent(sizes: Numbers, values: Numbers) -> Fit:
    r"""Fit ``values`` to a power of ``sizes``, by least squares of the logarithms.

    .. math:: \log v = \alpha \log n + c

    Args:
        sizes: three or more, not all equal.
        values: what was counted or measured at each.

    Returns:
        The slope with Student's 95 % interval. Two sizes would fit any law: they are refused.

    Raises:
        ValueError: if there are fewer than three sizes, or a number is not above zero.

    Source:
        Ordinary least squares.

    >>> fit = exponent([128, 256, 512], [3 * 128**2, 3 * 256**2, 3 * 512**2])
    >>> round(fit.slope, 6), fit.high - fit.low < 1e-9
    (2.0, True)
    """
    n = _finite("exponent", "sizes", sizes, positive=True)
    v = _finite("exponent", "values", values, positive=True)
    if len(n) != len(v) or len(n) < 3 or np.ptp(n) == 0:
        raise ValueError(
            "exponent: expected three or more sizes, not all equal, with a value each, "
            f"got {len(n)} sizes and {len(v)} values"
        )
    x, y = np.log(n), np.log(v)
    away = x - x.mean()
    slope = float((away * y).sum() / (away**2).sum())
    level = float(y.mean() - slope * x.mean())
    free = len(n) - 2
    error = np.sqrt(((y - level - slope * x) ** 2).sum() / free / (away**2).sum())
    half = float((_T[min(free, len(_T)) - 1]) * error)
    return Fit(slope, slope - half, slope + half)


def _interval(x: np.ndarray) -> Interval:
    drawn = np.random.RandomState(0).randint(len(x), size=(_RESAMPLES, len(x)))
    low, high = np.percentile(np.median(x[drawn], axis=1), [2.5, 97.5])
    return Interval(float(np.median(x)), float(low), float(high))


def _finite(function: str, name: str, values: Any, positive: bool = False) -> np.ndarray:
    x = np.asarray(values, dtype=float)
    least = " above zero" if positive else ""
    if x.ndim != 1 or not x.size or not np.isfinite(x).all() or (positive and x.min() <= 0):
        raise ValueError(
            f"{function}: {name} must be finite numbers{least}, got {values!r:.60}"
        )
    return x
