"""Score functions: how well does a query match a key?"""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import finite
from attention_course.reference._checked import checked


@checked(upcast_float16=True)
def dot_scores(
    q: Float[np.ndarray, "*batch q d_k"], k: Float[np.ndarray, "*batch k d_k"]
) -> Float[np.ndarray, "*batch q k"]:
    r"""Dot product of every query with every key.

    .. math:: e_{ij} = \mathbf q_i \cdot \mathbf k_j

    Args:
        q: queries.
        k: keys, of the same width as the queries.

    Returns:
        One score for each pair; before any scaling, mask or softmax.

    Source:
        Luong et al. (2015), section 3.1, "dot".

    >>> dot_scores(np.eye(2), np.ones((3, 2))).shape
    (2, 3)
    """
    return q @ k.mT


@checked(non_empty_axes="d_k", upcast_float16=True, scale=finite)
def scaled_dot_scores(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    scale: float | None = None,
) -> Float[np.ndarray, "*batch q k"]:
    r"""Dot products, multiplied by a factor that keeps their spread near 1.

    .. math:: e_{ij} = \frac{\mathbf q_i \cdot \mathbf k_j}{\sqrt{d_k}}

    Args:
        q: queries.
        k: keys, of the same width as the queries.
        scale: the factor; ``1 / sqrt(d_k)`` unless given (as in torch, it multiplies).

    Returns:
        One score for each pair.

    Source:
        Vaswani et al. (2017), equation 1.

    >>> float(scaled_dot_scores(np.ones((1, 4)), np.ones((1, 4)))[0, 0])
    2.0
    """
    q = q / q.shape[-1] ** 0.5 if scale is None else scale * q
    return q @ k.mT


@checked()
def additive_scores(
    q: Float[np.ndarray, "*batch q d_q"],
    k: Float[np.ndarray, "*batch k d_key"],
    W_q: Float[np.ndarray, "d_q d_a"],
    W_k: Float[np.ndarray, "d_key d_a"],
    w_v: Float[np.ndarray, " d_a"],
) -> Float[np.ndarray, "*batch q k"]:
    r"""A small network with one hidden layer looks at query and key together.

    .. math:: e_{ij} = \mathbf w_v \cdot \tanh(\mathbf q_i W_q + \mathbf k_j W_k)

    Every score is bounded by the sum of the absolute values in ``w_v``, whatever the width.

    Args:
        q: queries, of width d_q.
        k: keys, of width d_key (which may differ from d_q).
        W_q: matrix from query width to hidden width d_a (the paper's W_a, transposed).
        W_k: matrix from key width to hidden width d_a (the paper's U_a, transposed).
        w_v: the read-out vector (the paper's v_a).

    Returns:
        One score for each pair.

    Source:
        Bahdanau et al. (2015), section 3.1 and appendix A.1.2.

    >>> W_q, W_k, w_v = np.ones((3, 7)), np.ones((5, 7)), np.ones(7)
    >>> additive_scores(np.ones((2, 3)), np.ones((4, 5)), W_q, W_k, w_v).shape
    (2, 4)
    """
    asked, there = q @ W_q, k @ W_k
    pairs = asked[..., :, None, :] + there[..., None, :, :]
    return np.tanh(pairs) @ w_v
