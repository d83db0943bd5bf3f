"""Attention over keys that come in parts: exact, with one part's scores in memory at a time."""

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference import _core
from attention_course.reference._check import (
    as_float,
    check_mask,
    factor_or_default,
    fail,
    not_empty,
    same_axis,
    same_batch,
    whole_number,
)
from attention_course.reference._core import wide


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

    Raises:
        ValueError: if the shapes do not fit, the mask is not boolean or does not broadcast to
            the scores, or ``scale`` is not a finite number.

    Source:
        Dao et al. (2022), section 3.1, where the largest score and the sum are kept apart;
        Dao (2023), section 3.1.1, keeps the log-sum-exp.

    >>> q, k, v = np.zeros((1, 2)), np.ones((4, 2)), np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> context, log_sum_exp = partial_attention(q, k, v)
    >>> context, np.exp(log_sum_exp)
    (array([[2.]]), array([4.]))

    Used in ``scale/gpu-attention``.
    """
    return _in_blocks("partial_attention", q, k, v, None, scale, mask)


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

    Raises:
        ValueError: if the shapes do not fit, or there is no part.

    Source:
        Rabe and Staats (2021), section 2; Dao et al. (2022), section 3.1.

    >>> contexts, sums = np.array([[[1.0]], [[5.0]]]), np.array([[3.0], [1.0]])
    >>> context, log_sum_exp = merge_partials(contexts, np.log(sums))
    >>> context, np.exp(log_sum_exp)
    (array([[2.]]), array([4.]))

    Taught in ``scale/gpu-attention``.
    """
    name = "merge_partials"
    as_float(name, "contexts", contexts, 3)
    as_float(name, "log_sum_exps", log_sum_exps, 2)
    if contexts.shape[:-1] != log_sum_exps.shape:
        expected = f"of shape {contexts.shape[:-1]}, one number for each context"
        raise fail(name, "log_sum_exps", expected, f"shape {log_sum_exps.shape}")
    not_empty(name, "contexts", contexts, 0, "at least one part")
    with np.errstate(divide="ignore"):  # the logarithm of 0, where nothing was seen
        context, log = _core.merge_partials(wide(contexts), wide(log_sum_exps))
    return context.astype(contexts.dtype, copy=False), log


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

    Raises:
        ValueError: if the shapes do not fit, ``block`` is not a positive whole number, the
            mask is not boolean or does not broadcast to the scores, or ``scale`` is not a
            finite number.

    Source:
        Milakov and Gimelshein (2018), algorithm 3, for the sum; Rabe and Staats (2021),
        section 2.

    >>> q, k, v = np.zeros((1, 2)), np.ones((4, 2)), np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> attention_in_blocks(q, k, v, block=3)[0]
    array([[2.]])

    Taught in ``scale/gpu-attention``.
    """
    return _in_blocks("attention_in_blocks", q, k, v, block, scale, mask)


def _in_blocks(
    function: str,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    block: int | None,
    scale: float | None,
    mask: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    for name, x in (("q", q), ("k", k), ("v", v)):
        as_float(function, name, x, 2)
    same_axis(function, "q", q, -1, "k", k, -1, "their last axis, d_k")
    same_axis(function, "k", k, -2, "v", v, -2, "the number of keys")
    same_batch(function, q=q, k=k, v=v)
    not_empty(function, "q", q, -1, "d_k of at least 1")
    size = max(1, k.shape[-2]) if block is None else whole_number(function, "block", block)
    factor = factor_or_default(function, scale, q.shape[-1])
    if mask is not None:
        shape = (*q.shape[:-1], k.shape[-2])
        mask = np.broadcast_to(check_mask(function, mask, shape), shape)
    with np.errstate(divide="ignore"):  # the logarithm of 0, where nothing was seen
        context, log = _core.attention_in_blocks(wide(q), wide(k), wide(v), size, factor, mask)
    return context.astype(np.result_type(q, k, v), copy=False), log
