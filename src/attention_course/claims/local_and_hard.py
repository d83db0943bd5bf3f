"""What the chapter on local and hard attention concludes, with margins for any machine."""

from collections.abc import Mapping, Sequence

import numpy as np

from attention_course._shapes import Float


def within_chance(distance: float, mean_square: float, n: int, times: float = 4.0) -> bool:
    r"""Could an unbiased mean of n estimates be this far off?

    .. math:: \text{distance} \le 4 \sqrt{\text{mean square} / n}

    Args:
        distance: length of the mean's deviation from what it should be.
        mean_square: mean squared length of a single estimate's deviation.
        n: how many estimates were averaged.
        times: how many standard errors are granted.

    Returns:
        True if chance explains the distance.

    Raises:
        ValueError: if ``n`` is not positive.

    >>> within_chance(0.1, 4.0, 10_000), within_chance(0.2, 0.1, 10_000)
    (False, False)
    >>> within_chance(0.05, 4.0, 10_000)
    True

    Taught in ``recurrent/local-and-hard``.
    """
    if n < 1:
        raise ValueError(f"within_chance: n must be at least 1, got {n}")
    return bool(distance <= times * np.sqrt(mean_square / n))


def bounded_by_reach(
    accuracy: Mapping[str, float],
    reach: Mapping[str, float],
    guess: float,
    tolerance: float = 0.06,
) -> bool:
    r"""Is every accuracy no better than the window's reach and guessing allow?

    .. math:: \text{accuracy} \le \rho + (1 - \rho)\, g + 0.06

    Args:
        accuracy: share of right symbols, by length.
        reach: share of symbols that stand inside the window, by length.
        guess: how often a guess is right.
        tolerance: what is granted for the sample.

    Returns:
        True if none is above its bound.

    Raises:
        ValueError: if the lengths differ.

    >>> bounded_by_reach({"8": 0.3}, {"8": 0.25}, 0.05)
    True
    >>> bounded_by_reach({"8": 0.9}, {"8": 0.25}, 0.05)
    False

    Taught in ``recurrent/local-and-hard``.
    """
    if accuracy.keys() != reach.keys():
        raise ValueError(
            "bounded_by_reach: accuracy and reach must be of the same lengths, "
            f"got {sorted(accuracy)} and {sorted(reach)}"
        )
    return all(accuracy[n] <= reach[n] + (1 - reach[n]) * guess + tolerance for n in accuracy)


def moves_backwards(
    centres: Sequence[float] | Float[np.ndarray, " steps"], share: float = 0.6
) -> bool:
    """Does a window's centre go from the end of the source to its beginning?

    Args:
        centres: where it stands at each step.
        share: how much of the source it must cross.

    Returns:
        True if it falls, by ``share`` of the steps' number at least, and rises by no more
        than one position in a single step.

    Raises:
        ValueError: if there are fewer than two steps.

    >>> moves_backwards([5.0, 4.0, 2.5, 2.0, 1.0, 0.4]), moves_backwards([0.0, 1.0, 2.0])
    (True, False)

    Taught in ``recurrent/local-and-hard``.
    """
    p = np.asarray(centres, dtype=float)
    if len(p) < 2:
        raise ValueError(f"moves_backwards: centres must be at least two, got {len(p)}")
    return bool(p[0] - p[-1] >= share * len(p) and np.diff(p).max() <= 1)
