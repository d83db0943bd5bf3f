"""What a few runs show: a mean, a slope with its interval, better or worse."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Numbers = Sequence[float] | np.ndarray

# Student's t, two-sided 95 %, for 1, 2, ... degrees of freedom; the last serves for more.
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


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
        Ordinary least squares, ``numpy.polyfit``.

    >>> fit = exponent([128, 256, 512], [3 * 128**2, 3 * 256**2, 3 * 512**2])
    >>> round(fit.slope, 6), fit.high - fit.low < 1e-9
    (2.0, True)
    """
    n = _above_zero("sizes", sizes)
    v = _above_zero("values", values)
    if len(n) != len(v) or len(n) < 3 or np.ptp(n) == 0:
        raise ValueError(
            "exponent: expected three or more sizes, not all equal, with a value each, "
            f"got {len(n)} sizes and {len(v)} values"
        )
    (slope, _), covariance = np.polyfit(np.log(n), np.log(v), 1, cov=True)
    half = _T[min(len(n) - 2, len(_T)) - 1] * np.sqrt(covariance[0, 0])
    return Fit(float(slope), float(slope - half), float(slope + half))


def mean_interval(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""Return the mean of some runs and half the width of its 95 % interval.

    .. math:: \bar x \pm t_{0.975,\,n-1} \frac{s}{\sqrt n}

    Args:
        samples: one run a row, two to eleven runs: (runs, ...).

    Returns:
        The mean and the half-width of each column: two arrays of shape (...).

    Raises:
        ValueError: if there are fewer than two runs or more than eleven.

    Source:
        Student (1908).

    >>> mean, half = mean_interval(np.array([[1.0], [2.0], [3.0]]))
    >>> float(mean[0]), float(half[0].round(2))
    (2.0, 2.48)
    """
    n = len(samples)
    if not 2 <= n <= len(_T) + 1:
        raise ValueError(
            f"mean_interval: samples must be of two to {len(_T) + 1} runs, got {n}"
        )
    return samples.mean(0), _T[n - 2] * samples.std(0, ddof=1) / np.sqrt(n)


def verdict(ours: Sequence[float], theirs: Sequence[float]) -> str:
    r"""Compare two settings by all of their runs.

    If the two are alike, one lies wholly above the other by chance alone with probability

    .. math:: 1 \Big/ \binom{n + m}{n}

    which is 1 in 20 for three runs each. Among ten comparisons one such slip is no surprise.

    Args:
        ours: one measurement a run, more is better.
        theirs: the same for the other setting.

    Returns:
        "better" if every run of ours is above every run of theirs, "worse" if below, and
        otherwise "open".

    Raises:
        ValueError: if one of them has no runs.

    Source:
        The extreme case of the rank test of Mann and Whitney (1947).

    >>> verdict([0.9, 0.8], [0.5, 0.7]), verdict([0.9, 0.6], [0.5, 0.7])
    ('better', 'open')
    """
    if len(ours) == 0 or len(theirs) == 0:
        raise ValueError(
            "verdict: ours and theirs must hold at least one run, "
            f"got {len(ours)} and {len(theirs)}"
        )
    if min(ours) > max(theirs):
        return "better"
    return "worse" if max(ours) < min(theirs) else "open"


def _above_zero(name: str, values: Any) -> np.ndarray:
    x = np.asarray(values, dtype=float)
    if x.ndim != 1 or not x.size or not np.isfinite(x).all() or x.min() <= 0:
        raise ValueError(
            f"exponent: {name} must be finite numbers above zero, got {values!r:.60}"
        )
    return x
