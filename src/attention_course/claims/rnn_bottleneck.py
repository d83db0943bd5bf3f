"""What the runs of ``why/rnn-bottleneck`` show; other chapters use these rules too."""

from collections.abc import Mapping, Sequence

import numpy as np

from attention_course._shapes import Float

# Student's t, 97.5 %, for 1 to 9 degrees of freedom (any table has them).
_T975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


def interval(
    samples: Float[np.ndarray, "seeds *shape"],
) -> tuple[Float[np.ndarray, "*shape"], Float[np.ndarray, "*shape"]]:
    r"""Mean of some runs, and half the width of its 95 % interval.

    .. math:: \bar x \pm t_{0.975,\,n-1} \frac{s}{\sqrt n}

    Args:
        samples: one run a row; two to ten runs.

    Returns:
        The mean and the half-width, for each column.

    Raises:
        ValueError: if there are fewer than two runs or more than ten.

    Source:
        Student (1908).

    >>> mean, half = interval(np.array([[1.0], [2.0], [3.0]]))
    >>> float(mean[0]), float(half[0].round(2))
    (2.0, 2.48)

    Used in ``why/rnn-bottleneck``.
    """
    n = len(samples)
    if not 2 <= n <= len(_T975) + 1:
        raise ValueError(f"interval: samples must be two to ten runs, got {n}")
    return samples.mean(0), _T975[n - 2] * samples.std(0, ddof=1) / np.sqrt(n)


def learnt(shares: Sequence[float], at_least: float = 0.95) -> bool:
    """Is every one of these shares of right answers high enough?

    Args:
        shares: how often a model was right, for example at each position.
        at_least: the share that is asked for.

    Returns:
        True if the smallest reaches it.

    Raises:
        ValueError: if there is nothing to judge.

    >>> learnt([1.0, 0.99]), learnt([1.0, 0.5])
    (True, False)

    Used in ``why/rnn-bottleneck``.
    """
    if len(shares) == 0:
        raise ValueError("learnt: shares must hold at least one, got none")
    return bool(min(shares) >= at_least)


def gets_worse(errors: Mapping[int, float], factor: float = 1.5, ends: int = 3) -> bool:
    """Is the error on the longest inputs well above that on the shortest?

    Args:
        errors: error rate by length, in any order.
        factor: how many times as large it must be.
        ends: how many lengths are averaged at either end.

    Returns:
        True if the mean error at the long end exceeds ``factor`` times that at the short end.

    Raises:
        ValueError: if there are fewer than two times ``ends`` lengths.

    >>> gets_worse({4: 0.1, 8: 0.2, 16: 0.4}, factor=3, ends=1)
    True

    Used in ``why/rnn-bottleneck``.
    """
    if len(errors) < 2 * ends:
        raise ValueError(
            f"gets_worse: errors must hold at least {2 * ends} lengths, got {len(errors)}"
        )
    by_length = [errors[length] for length in sorted(errors)]
    return bool(np.mean(by_length[-ends:]) > factor * np.mean(by_length[:ends]))


def at_chance(share: float, chance: float, trials: int) -> bool:
    r"""Could guessing have been right this often?

    .. math:: |\text{share} - p| \le 4 \sqrt{p(1-p) / n}

    Args:
        share: how often a model was right.
        chance: how often a guess is, p.
        trials: how many answers were counted, n.

    Returns:
        True if the share lies within four standard errors of chance.

    >>> at_chance(0.05, 1 / 26, 2000), at_chance(0.5, 1 / 26, 2000)
    (True, False)

    Used in ``why/rnn-bottleneck``.
    """
    return bool(abs(share - chance) <= 4 * np.sqrt(chance * (1 - chance) / trials))


def equally_bad(recall: Float[np.ndarray, " length"], tolerance: float = 0.08) -> bool:
    """Is the beginning of a sequence recalled as well as its end?

    Args:
        recall: share recalled at each position, first token first.
        tolerance: how far the means of first and last quarter may differ.

    Returns:
        True if they differ by no more than that.

    >>> equally_bad(np.array([0.5, 0.52, 0.5, 0.48]))
    True

    Used in ``why/rnn-bottleneck``.
    """
    quarter = max(1, len(recall) // 4)
    return bool(abs(recall[:quarter].mean() - recall[-quarter:].mean()) <= tolerance)


def vanishes(norms: Float[np.ndarray, " length"], below: float = 1e-8) -> bool:
    """Is the gradient at the first input a tiny share of that at the last?

    Args:
        norms: norm of the gradient by each input, first input first.
        below: the share that counts as vanished.

    Returns:
        True if the first is smaller than ``below`` times the last.

    >>> vanishes(np.array([1e-12, 1e-6, 1.0])), vanishes(np.array([0.1, 0.2, 1.0]))
    (True, False)

    Used in ``why/rnn-bottleneck``.
    """
    return bool(norms[0] < below * norms[-1])


def always_below(
    a: Sequence[float] | Float[np.ndarray, " seeds"],
    b: Sequence[float] | Float[np.ndarray, " seeds"],
) -> bool:
    """Is every run of one setting below every run of the other?

    With four runs each, chance alone does that once in seventy times.

    Args:
        a: one measurement a run, less is better.
        b: the same for the other setting.

    Returns:
        True if the largest of ``a`` is below the smallest of ``b``.

    >>> always_below([0.1, 0.2], [0.3, 0.4]), always_below([0.1, 0.35], [0.3, 0.4])
    (True, False)

    Used in ``why/rnn-bottleneck``.
    """
    return bool(max(a) < min(b))
