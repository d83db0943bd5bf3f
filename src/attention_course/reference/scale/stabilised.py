"""What keeps scores in check: a norm of queries and keys, and a cap."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import positive_number
from attention_course.reference._checked import checked


@checked(non_empty_axes="d", upcast_float16=True, eps=positive_number)
def rms_norm(
    x: Float[np.ndarray, "*batch d"], gain: Float[np.ndarray, " d"], eps: float = 1e-6
) -> Float[np.ndarray, "*batch d"]:
    r"""Divide vectors by their root mean square.

    .. math:: \hat x_i = g_i \frac{x_i}{\sqrt{\tfrac1d \sum_j x_j^2 + \varepsilon}}

    Args:
        x: vectors.
        gain: g, learned.
        eps: keeps a vector of zeros from being divided by zero.

    Returns:
        Vectors of the root mean square 1, times the gain.

    Source:
        Zhang and Sennrich (2019).

    >>> rms_norm(np.array([3.0, 4.0]), np.ones(2)).round(3).tolist()
    [0.849, 1.131]
    """
    mean = np.square(x).mean(axis=-1, keepdims=True)
    return gain * x / np.sqrt(mean + eps)


@checked(upcast_float16=True, cap=positive_number)
def soft_cap(
    scores: Float[np.ndarray, "*batch n"], cap: float
) -> Float[np.ndarray, "*batch n"]:
    r"""Keep scores between minus and plus a cap, and small ones nearly as they are.

    .. math:: e' = c \tanh(e / c)

    Args:
        scores: before the softmax, and before a mask.
        cap: c.

    Returns:
        The scores, none beyond the cap.

    Source:
        Gemma Team (2024).

    >>> soft_cap(np.array([0.1, 5.0, 500.0]), 5.0).round(3).tolist()
    [0.1, 3.808, 5.0]
    """
    return cap * np.tanh(scores / cap)
