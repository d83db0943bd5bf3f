"""Two scores that measure likeness: the cosine with a strength, and a kernel."""

from typing import Any

import numpy as np

from attention_course._shapes import Float
from attention_course.reference import _core_scores
from attention_course.reference._check import (
    as_float,
    fail,
    not_empty,
    same_axis,
    same_batch,
)


def cosine_scores(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    beta: Float[np.ndarray, "*batch q"] | float = 1.0,
) -> Float[np.ndarray, "*batch q k"]:
    r"""Cosine of the angle between query and key, times a strength.

    .. math:: e_{ij} = \beta_i \,
       \frac{\mathbf q_i \cdot \mathbf k_j}{\lVert\mathbf q_i\rVert\,\lVert\mathbf k_j\rVert}

    No score leaves the range from -beta to beta, whatever the lengths and the width: beta
    alone decides how sharp the weights can become. A vector of zeros has no direction; its
    cosine counts as 0 here.

    Args:
        q: queries (the paper's key vector, emitted by the controller).
        k: keys (the paper's rows of memory), of the same width.
        beta: the strength, above 0: one number, or one for each query (the paper's beta_t).

    Returns:
        One score for each pair.

    Raises:
        ValueError: if q or k is not an array of floats, their widths or batch axes differ, or
            beta is not positive and finite, one number or one for each query.

    Source:
        Graves et al. (2014), equations 5 and 6, "content-based addressing".

    >>> cosine_scores(np.array([[3.0, 0.0]]), np.array([[9.0, 0.0], [0.0, 5.0]]), 2.0)
    array([[2., 0.]])

    Taught in ``recurrent/score-functions``.
    """
    name = "cosine_scores"
    q, k = as_float(name, "q", q, 2), as_float(name, "k", k, 2)
    same_axis(name, "q", q, -1, "k", k, -1, "their last axis, d_k")
    same_batch(name, q=q, k=k)
    return _core_scores.cosine_scores(q, k, _strength(beta, q))


def kernel_scores(
    q: Float[np.ndarray, "*batch q d_k"], k: Float[np.ndarray, "*batch k d_k"]
) -> Float[np.ndarray, "*batch q k"]:
    r"""Logarithm of a product of positive features, so that a softmax divides by their sum.

    .. math:: e_{ij} = \ln\bigl(\varphi(\mathbf q_i) \cdot \varphi(\mathbf k_j)\bigr), \qquad
       \varphi(x) = \operatorname{elu}(x) + 1

    The softmax undoes the logarithm. What remains is
    :math:`\varphi(\mathbf q_i) \cdot \varphi(\mathbf k_j)` over its sum: the same weighted
    sum as ever, with another positive function in the place of exp.

    Args:
        q: queries.
        k: keys, of the same width.

    Returns:
        One score for each pair.

    Raises:
        ValueError: if either is not an array of floats, d_k is 0, or their widths or batch
            axes differ.

    Source:
        Katharopoulos et al. (2020), equations 4 and 7. The paper has no scores: the logarithm
        is ours, to fit the interface.

    >>> float(kernel_scores(np.zeros((1, 4)), np.zeros((1, 4)))[0, 0] / np.log(4.0))
    1.0

    Taught in ``recurrent/score-functions``.
    """
    q, k = _like_widths("kernel_scores", q, k)
    return _core_scores.kernel_scores(q, k)


def kernel_attention(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
) -> Float[np.ndarray, "*batch q d_v"]:
    r"""The contexts of :func:`kernel_scores`, without ever computing a score.

    .. math:: \mathbf c_i = \frac{\varphi(\mathbf q_i)^\top
       \bigl(\sum_j \varphi(\mathbf k_j)\, \mathbf v_j^\top\bigr)}
       {\varphi(\mathbf q_i)^\top \sum_j \varphi(\mathbf k_j)}

    The sums over the keys are the same for all queries, so they are made once: the cost
    grows with queries + keys instead of queries x keys.

    Args:
        q: queries.
        k: keys, of the same width.
        v: values, one for each key.

    Returns:
        One context vector for each query.

    Raises:
        ValueError: if an argument is not an array of floats, there is no key, or the shapes
            do not fit.

    Source:
        Katharopoulos et al. (2020), equations 5 to 7.

    >>> kernel_attention(np.ones((5, 2)), np.ones((3, 2)), np.ones((3, 7))).shape
    (5, 7)

    Used in ``recurrent/score-functions``.
    """
    name = "kernel_attention"
    v = as_float(name, "v", v, 2)
    q, k = map(_core_scores.positive, _like_widths(name, q, k))
    same_axis(name, "k", k, -2, "v", v, -2, "the number of keys")
    same_batch(name, k=k, v=v)
    not_empty(name, "k", k, -2, "at least one key")
    keys_and_values = np.swapaxes(k, -1, -2) @ v
    return q @ keys_and_values / (q @ k.sum(axis=-2)[..., None])


def _strength(beta: Any, q: np.ndarray) -> np.ndarray | float:
    """Return beta, ready to multiply the scores of ``q``."""
    expected = "a positive finite number, or one for each query"
    number = isinstance(beta, (int, float, np.integer, np.floating))
    if isinstance(beta, bool) or not (number or isinstance(beta, np.ndarray)):
        raise fail("cosine_scores", "beta", expected, repr(beta))
    if not number and beta.shape != q.shape[:-1]:
        raise fail("cosine_scores", "beta", expected, f"shape {beta.shape}")
    if not (np.isfinite(beta).all() and np.all(np.asarray(beta) > 0)):
        raise fail("cosine_scores", "beta", expected, repr(beta))
    return float(beta) if number else beta[..., None]


def _like_widths(function: str, q: object, k: object) -> tuple[np.ndarray, np.ndarray]:
    """Return queries and keys if they are arrays of one width, or raise."""
    q, k = as_float(function, "q", q, 2), as_float(function, "k", k, 2)
    same_axis(function, "q", q, -1, "k", k, -1, "their last axis, d_k")
    same_batch(function, q=q, k=k)
    not_empty(function, "q", q, -1, "d_k of at least 1")
    return q, k
