"""Luong's score functions beside the dot product: general, concat and location."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._checked import checked


@checked()
def general_scores(
    q: Float[np.ndarray, "*batch q d_q"],
    k: Float[np.ndarray, "*batch k d_key"],
    W: Float[np.ndarray, "d_q d_key"],
) -> Float[np.ndarray, "*batch q k"]:
    r"""Dot product with a learned matrix between query and key.

    .. math:: e_{ij} = \mathbf q_i^\top W \mathbf k_j

    With the identity for W it is the dot product; otherwise the widths may differ.

    Args:
        q: queries (the paper's h_t).
        k: keys (the paper's h_s).
        W: from query width to key width (the paper's W_a).

    Returns:
        One score for each pair.

    Source:
        Luong et al. (2015), section 3.1, "general".

    >>> general_scores(np.ones((2, 3)), np.ones((4, 5)), np.ones((3, 5))).tolist()[0]
    [15.0, 15.0, 15.0, 15.0]
    """
    return q @ W @ k.mT


@checked(d_both=lambda d_q, d_key: d_q + d_key)
def concat_scores(
    q: Float[np.ndarray, "*batch q d_q"],
    k: Float[np.ndarray, "*batch k d_key"],
    W: Float[np.ndarray, "d_both d_a"],
    w_v: Float[np.ndarray, " d_a"],
) -> Float[np.ndarray, "*batch q k"]:
    r"""A small network with one hidden layer reads query and key, one behind the other.

    .. math:: e_{ij} = \mathbf w_v \cdot \tanh\bigl([\mathbf q_i ; \mathbf k_j]\, W\bigr)

    The upper rows of W meet the query, the lower rows the key. With W_q above W_k it is the
    additive score: the same function, written with one matrix instead of two.

    Args:
        q: queries, of width d_q.
        k: keys, of width d_key.
        W: from both widths together to the hidden width (the paper's W_a, transposed).
        w_v: the read-out vector (the paper's v_a).

    Returns:
        One score for each pair.

    Source:
        Luong et al. (2015), section 3.1, "concat".

    >>> concat_scores(np.ones((2, 3)), np.ones((4, 5)), np.ones((8, 7)), np.ones(7)).shape
    (2, 4)
    """
    n_q, n_k = q.shape[-2], k.shape[-2]
    left = np.repeat(q[..., :, None, :], n_k, axis=-2)
    right = np.repeat(k[..., None, :, :], n_q, axis=-3)
    pairs = np.concatenate([left, right], axis=-1)
    return np.tanh(pairs @ W) @ w_v


@checked(non_empty_axes="longest")
def location_scores(
    q: Float[np.ndarray, "*batch q d_q"],
    k: Float[np.ndarray, "*batch k d_key"],
    W: Float[np.ndarray, "d_q longest"],
) -> Float[np.ndarray, "*batch q k"]:
    r"""Scores from the query alone: one column of W for each place in the source.

    .. math:: e_{ij} = (\mathbf q_i W)_j

    What the keys contain is never read; only their number counts. The number of places is
    fixed by W. A shorter source uses the first columns; of a longer one the keys beyond the
    last column get a score of minus infinity, so that they weigh nothing.

    Args:
        q: queries (the paper's h_t).
        k: keys, of any width.
        W: from query width to the greatest number of places (the paper's W_a, transposed).

    Returns:
        One score for each pair.

    Source:
        Luong et al. (2015), section 3.1, equation 8 and its footnote on long sentences.

    >>> location_scores(np.ones((1, 2)), np.ones((4, 9)), np.ones((2, 3)))
    array([[  2.,   2.,   2., -inf]])
    """
    n_keys, places = k.shape[-2], W.shape[1]
    scores = np.full((*q.shape[:-1], n_keys), -np.inf, np.result_type(q, W))
    scores[..., :places] = (q @ W)[..., :n_keys]
    return scores
