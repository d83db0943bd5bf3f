"""Decisions about heads that a chapter prints: what runs show, as True or False."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def must_compromise(
    one: Sequence[float], more: Sequence[float], floor: float, slack: float = 0.1
) -> bool:
    """Does one head stay at the error that averaging cannot go below, and more heads not?

    Args:
        one: the error of each run with one head.
        more: the error of each run with more heads.
        floor: the least error that averaging allows.
        slack: the share of the floor by which a run may miss it or, with more heads, zero.

    Returns:
        True if every run of ``one`` is at the floor, and every run of ``more`` near zero.

    >>> must_compromise([0.5, 0.49], [0.01, 0.0], 0.5), must_compromise([0.2], [0.01], 0.5)
    (True, False)

    Taught in ``transformer/multi-head``.
    """
    at_floor = all(abs(error - floor) <= slack * floor for error in one)
    return bool(at_floor and max(more) <= slack * floor)


def a_place_each(most: np.ndarray, places: np.ndarray) -> float:
    """Return how often two heads look at the two places that are wanted, one each.

    Args:
        most: the place at which each head looks most: rows, heads, tokens.
        places: the two places that each token wants: rows, tokens, two.

    Returns:
        The share of right looks, for the better of the two ways to divide the work.

    >>> a_place_each(np.array([[[7], [2]]]), np.array([[[2, 7]]]))
    1.0

    Taught in ``transformer/multi-head``.
    """
    wanted = np.swapaxes(places, 1, 2)
    straight, crossed = (most == wanted).mean(), (most == wanted[:, ::-1]).mean()
    return float(max(straight, crossed))


def ends_alike(now: float, before: Sequence[float], slack: float = 0.08) -> bool:
    """Did a run end near the mean of earlier ones?

    Args:
        now: the loss at its end.
        before: the losses of the recorded runs at the same step.
        slack: how far it may be from their mean.

    Returns:
        True if it is no farther.

    >>> ends_alike(2.3, [2.31, 2.28]), ends_alike(2.9, [2.31, 2.28])
    (True, False)

    Taught in ``transformer/multi-head``.
    """
    return bool(abs(now - np.mean(before)) <= slack)


def roles_are_assigned(looks: Sequence[Any]) -> bool:
    """Does the head of one number look most at the same place in every run?

    Args:
        looks: for each run and head the mean weight at each place around the cover.

    Returns:
        True if every head has one favourite place in all the runs.

    >>> roles_are_assigned([[[0.9, 0.1], [0.2, 0.8]], [[0.1, 0.9], [0.7, 0.3]]])
    False

    Taught in ``transformer/multi-head``.
    """
    favourites = np.argmax(np.asarray(looks), axis=2)
    return bool((favourites == favourites[0]).all())


def best_is_between(losses: Sequence[Sequence[float]]) -> bool:
    """Is neither the first nor the last setting the best, in any run?

    Args:
        losses: for each run its loss at each setting, in order of the settings.

    Returns:
        True if the least loss of every run lies between its ends.

    >>> best_is_between([[3, 1, 2], [2, 1, 1.5]]), best_is_between([[3, 1, 2], [3, 2, 1]])
    (True, False)

    Taught in ``transformer/multi-head``.
    """
    best = np.argmin(np.asarray(losses), axis=1)
    return bool(((best > 0) & (best < np.shape(losses)[1] - 1)).all())


def none_carries_it_all(
    whole: float, without: Sequence[float], nothing: float, share: float = 0.5
) -> bool:
    """Does every head, silenced alone, cost less than this share of what all are worth?

    Args:
        whole: the loss with all heads.
        without: the loss with each head silenced.
        nothing: the loss with all of them silenced.
        share: of the difference between the two.

    Returns:
        True if the dearest head costs less than the share.

    >>> none_carries_it_all(2.0, [2.1, 2.2], 3.0), none_carries_it_all(2.0, [2.8, 2.0], 3.0)
    (True, False)

    Taught in ``transformer/multi-head``.
    """
    return bool(max(without) - whole < share * (nothing - whole))
