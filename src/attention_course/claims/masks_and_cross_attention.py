"""What the chapter on masks concludes from a test or a training, as True or False."""

from collections.abc import Sequence

import numpy as np

from attention_course._shapes import Float


def leaves_earlier_alone(
    before: Float[np.ndarray, "n *features"],
    after: Float[np.ndarray, "n *features"],
    changed: int,
) -> bool:
    """Are all outputs before the changed position exactly what they were?

    Args:
        before: one output for each position.
        after: the same, with the input at one position changed.
        changed: that position, from 0.

    Returns:
        True if none of the earlier outputs moved, not even in the last bit.

    Raises:
        ValueError: if the shapes differ, or nothing moved at all: then the test has tested
            nothing.

    >>> leaves_earlier_alone(np.array([1.0, 2.0]), np.array([1.0, 3.0]), 1)
    True

    Taught in ``transformer/masks-and-cross-attention``.
    """
    if before.shape != after.shape:
        raise ValueError(
            "leaves_earlier_alone: before and after must have the same shape, "
            f"got {before.shape} and {after.shape}"
        )
    if np.array_equal(before, after):
        raise ValueError("leaves_earlier_alone: after must differ somewhere, got no change")
    return bool(np.array_equal(before[:changed], after[:changed]))


def cheats(
    fed: Sequence[float] | Float[np.ndarray, " runs"],
    free: Sequence[float] | Float[np.ndarray, " runs"],
) -> bool:
    """Is a model nearly perfect while it is fed the truth, and lost without it?

    Args:
        fed: share of targets right in every symbol with the truth fed in, one for each run.
        free: the same runs, free running.

    Returns:
        True if every run is right 95 times in 100 when fed and at most 20 times when free.

    Raises:
        ValueError: if there is no run, or not as many of both.

    >>> cheats([1.0, 0.99], [0.0, 0.01]), cheats([0.9], [0.9])
    (True, False)

    Taught in ``transformer/masks-and-cross-attention``.
    """
    if not len(fed) or len(fed) != len(free):
        raise ValueError(
            "cheats: fed and free must be as many as each other and at least one, "
            f"got {len(fed)} and {len(free)}"
        )
    return bool(min(fed) >= 0.95 and max(free) <= 0.2)
