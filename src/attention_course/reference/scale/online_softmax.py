"""Attention over keys that come in parts: exact, with one part's scores in memory at a time."""

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference._check import broadcasts_to, finite, whole
from attention_course.reference._checked import checked


@checked(
    non_empty_axes="d_k",
    upcast_float16="q k v",
    scale=finite,
    mask=broadcasts_to("*batch q k", expand=True),
)
def partial_attention(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
    scale: float | None = None,
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "*batch q d_v"], Float[np.ndarray, "*batch q"]]:
    r"""Attend to some of the keys, and say how much they weigh.

    .. math:: \mathbf c_i = \sum_j e^{e_{ij} - \ell_i} \mathbf v_j, \qquad
       \ell_i = \log \sum_j e^{e_{ij}}

    With its log-sum-exp a part can be merged with others: :func:`merge_partials`.

    Args:
        q: queries.
        k: the keys of this part; there may be none.
        v: values, one for each key.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.
        mask: True = may attend; broadcasts to the scores of this part.

    Returns:
        The contexts, and the log-sum-exp of each query's scores (in float32 for half
        precision). A query that sees none of the keys gets zeros and minus infinity.

    Source:
        Dao et al. (2022), section 3.1, where the largest score and the sum are kept apart;
        Dao (2023), section 3.1.1, keeps the log-sum-exp.

    >>> q, k, v = np.zeros((1, 2)), np.ones((4, 2)), np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> context, log_sum_exp = partial_attention(q, k, v)
    >>> context, np.exp(log_sum_exp)
    (array([[2.]]), array([4.]))
    """
    return attention_in_blocks(q, k, v, max(1, k.shape[-2]), scale, mask)


@checked(non_empty_axes="parts", upcast_float16="contexts", ignore_warnings="divide")
def merge_partials(
    contexts: Float[np.ndarray, "parts *batch q d_v"],
    log_sum_exps: Float[np.ndarray, "parts *batch q"],
) -> tuple[Float[np.ndarray, "*batch q d_v"], Float[np.ndarray, "*batch q"]]:
    r"""Merge what the same queries found in several parts of the keys.

    .. math:: \mathbf c = \sum_p e^{L_p - L}\, \mathbf c_p, \qquad
       L = \log \sum_p e^{L_p}

    The result is that of one softmax over the keys of all parts. It depends neither on their
    order nor on which of them are merged first, save for rounding.

    Args:
        contexts: of each part, along the first axis.
        log_sum_exps: of each part; minus infinity where a query saw nothing.

    Returns:
        The contexts over all keys and their log-sum-exps, so that merging can go on.

    Source:
        Rabe and Staats (2021), section 2; Dao et al. (2022), section 3.1.

    >>> contexts, sums = np.array([[[1.0]], [[5.0]]]), np.array([[3.0], [1.0]])
    >>> context, log_sum_exp = merge_partials(contexts, np.log(sums))
    >>> context, np.exp(log_sum_exp)
    (array([[2.]]), array([4.]))
    """
    lowest = np.finfo(log_sum_exps.dtype).min
    top = np.maximum(log_sum_exps.max(axis=0), lowest)
    shares = np.exp(log_sum_exps - top)
    total = shares.sum(axis=0)
    merged = (shares[..., None] * contexts).sum(axis=0)
    return merged / np.maximum(total, 1)[..., None], top + np.log(total)


@checked(
    non_empty_axes="d_k",
    upcast_float16="q k v",
    ignore_warnings="divide",
    block=whole(1),
    scale=finite,
    mask=broadcasts_to("*batch q k", expand=True),
)
def attention_in_blocks(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
    block: int,
    scale: float | None = None,
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "*batch q d_v"], Float[np.ndarray, "*batch q"]]:
    r"""Attention in one pass over blocks of keys: the online softmax.

    .. math:: m' = \max(m, \max_j e_j), \quad
       \ell' = e^{m - m'} \ell + \sum_j e^{e_j - m'}, \quad
       \mathbf a' = e^{m - m'} \mathbf a + \sum_j e^{e_j - m'} \mathbf v_j

    Per query it keeps the largest score so far, the sum of the exponentials, and the sum of
    the values weighted by them. Only one block of scores exists at a time.

    Args:
        q: queries.
        k: keys; there may be none.
        v: values, one for each key.
        block: how many keys a block has; the last one may have fewer.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.
        mask: True = may attend; broadcasts to the scores.

    Returns:
        The contexts and the log-sum-exp of each query's scores, as
        :func:`partial_attention` over all keys.

    Source:
        Milakov and Gimelshein (2018), algorithm 3, for the sum; Rabe and Staats (2021),
        section 2.

    >>> q, k, v = np.zeros((1, 2)), np.ones((4, 2)), np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> attention_in_blocks(q, k, v, block=3)[0]
    array([[2.]])
    """
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    top = np.full(q.shape[:-1], np.finfo(q.dtype).min)  # no score is lower
    total = np.zeros_like(top)
    acc = np.zeros((*top.shape, v.shape[-1]), v.dtype)
    for j in range(0, k.shape[-2], block):
        part = slice(j, j + block)
        scores = factor * q @ k[..., part, :].swapaxes(-1, -2)
        if mask is not None:
            scores = np.where(mask[..., part], scores, -np.inf)
        new_top = np.maximum(top, scores.max(axis=-1))
        fade = np.exp(top - new_top)
        exps = np.exp(scores - new_top[..., None])
        total = fade * total + exps.sum(axis=-1)
        acc = fade[..., None] * acc + exps @ v[..., part, :]
        top = new_top
    # The largest score adds exp(0): a total is at least 1, or 0 of nothing.
    return acc / np.maximum(total, 1)[..., None], top + np.log(total)
