"""Softmax, its Jacobian and its entropy."""

import operator
from typing import Any

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference._check import Call, broadcasts_to, sums_to_one
from attention_course.reference._checked import checked


def _axis(call: Call, argument: str, axis: Any) -> int:
    shape = call.given["x"].shape
    try:
        there = -len(shape) <= operator.index(axis) < len(shape)
    except TypeError:
        there = False
    if not there:
        raise call.fail(argument, f"an axis of an array with shape {shape}", repr(axis))
    if shape[axis] == 0:
        raise call.fail("x", "an array with at least one entry along the softmax axis")
    return axis


@checked(
    upcast_float16=True,
    ignore_warnings="over invalid",
    axis=_axis,
    mask=broadcasts_to("*shape"),
)
def softmax(
    x: Float[np.ndarray, "*shape"],
    axis: int = -1,
    mask: Bool[np.ndarray, "*#shape"] | None = None,
) -> Float[np.ndarray, "*shape"]:
    r"""Turn scores into weights that are positive and sum to 1.

    .. math:: p_i = \frac{\exp(x_i)}{\sum_j \exp(x_j)}

    The largest score is subtracted first, which changes nothing in exact arithmetic and
    keeps ``exp`` from overflowing. A score of -inf counts as masked. A row with +inf or NaN
    comes out as NaN, as in torch.

    Args:
        x: the scores, in any unit-free scale.
        axis: the axis along which the weights sum to 1.
        mask: True = may attend. A masked entry gets weight exactly 0, whatever its score;
            a fully masked row is all zeros (torch's softmax gives NaN there).

    Returns:
        The weights, of the same dtype as ``x``.

    Source:
        Bridle (1990); masking before the softmax as in Vaswani et al. (2017), section 3.2.3.

    >>> softmax(np.array([0.0, np.log(3.0)]))
    array([0.25, 0.75])
    """
    if mask is not None:
        x = np.where(mask, x, -np.inf).astype(x.dtype, copy=False)
    top = x.max(axis=axis, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top).astype(x.dtype)
    exps = np.exp(x - top)
    total = exps.sum(axis=axis, keepdims=True)  # 0: it sees nothing
    return exps / np.where(total == 0, 1.0, total).astype(x.dtype)


@checked(p=sums_to_one)
def softmax_jacobian(p: Float[np.ndarray, "*batch n"]) -> Float[np.ndarray, "*batch n n"]:
    r"""Derivative of the softmax, written in its own output.

    .. math:: J_{ij} = \frac{\partial p_i}{\partial x_j} = p_i (\delta_{ij} - p_j)

    Every entry lies between -1/4 and 1/4, every row sums to 0, and J is symmetric.

    Args:
        p: weights, each row summing to 1 (or to 0 for a fully masked row).

    Returns:
        One n by n matrix for each row of ``p``.

    Source:
        Standard identity; the subject of Vaswani et al. (2017), section 3.2.1, footnote 4.

    >>> softmax_jacobian(np.array([0.25, 0.75]))
    array([[ 0.1875, -0.1875],
           [-0.1875,  0.1875]])
    """
    diagonal = p[..., None] * np.eye(p.shape[-1], dtype=p.dtype)
    return diagonal - p[..., :, None] * p[..., None, :]


@checked(p=sums_to_one)
def entropy(p: Float[np.ndarray, "*batch n"]) -> Float[np.ndarray, "*batch"]:
    r"""Entropy of each row of weights, in nats.

    .. math:: H(p) = -\sum_i p_i \ln p_i, \qquad 0 \ln 0 = 0

    Args:
        p: weights, each row summing to 1 (or to 0 for a fully masked row).

    Returns:
        0 for a one-hot row, ``ln n`` for a uniform one.

    Source:
        Shannon (1948).

    >>> float(entropy(np.array([0.5, 0.5])).round(4))
    0.6931
    """
    logs = np.log(np.where(p > 0, p, 1.0))
    return np.asarray(-(p * logs).sum(axis=-1) + 0.0)
