"""Exact attention in torch: with all scores in memory, with some of its rows, and in tiles.

The three compute the same function. They take ``(batch, heads, n, width)``, and keys and values
may have fewer heads than queries, each serving a group of them. With ``causal`` the last query
sees the last key (the mask is aligned at the bottom right); queries that see nothing get zeros.
They look at no value, because a GPU would have to wait for it.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from attention_course._shapes import Float
from attention_course.layers.scores import upcast_half
from attention_course.reference._check import Call, finite, one_format, whole
from attention_course.reference._checked import checked

# Computes once, keeps nothing, and computes again for the backward pass.

__all__ = [
    "all_at_once",
    "chunked_attention",
    "grouped",
    "hide_future",
    "merge_partials",
    "naive_attention",
    "take_in",
    "tiled_attention",
    "tiled_backward",
    "tiled_forward",
]


def shared_heads(call: Call) -> None:
    """Raise unless the key heads divide the query heads."""
    if not call["kv_heads"] or call["heads"] % call["kv_heads"]:
        raise call.fail("k", f"keys of heads that divide the queries', {call['heads']}")


#: What every attention with grouped heads asks of its arguments.
GROUPED = shared_heads, one_format("q", "k", "v")


@checked(*GROUPED, scale=finite)
def naive_attention(
    q: Float[Tensor, "batch heads q d_k"],
    k: Float[Tensor, "batch kv_heads k d_k"],
    v: Float[Tensor, "batch kv_heads k d_v"],
    *,
    causal: bool = False,
    scale: float | None = None,
) -> Float[Tensor, "batch heads q d_v"]:
    r"""Attention as it is usually written: every score is in memory at once.

    .. math:: C = \operatorname{softmax}\bigl(s\, Q K^\top\bigr)\, V

    In half precision the scores and weights are in half precision, as in most programs.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.
        causal: let query i see the keys up to i + n_k - n_q.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.

    Returns:
        The contexts.

    Raises:
        ValueError: if the shapes, formats or devices do not fit, or ``scale`` is not a finite
            number.

    Source:
        Vaswani et al. (2017), equation 1.

    >>> q, k = torch.zeros(1, 4, 5, 2), torch.ones(1, 2, 3, 2)
    >>> naive_attention(q, k, k).shape
    torch.Size([1, 4, 5, 2])
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    blind = see_nothing(q, k, causal)
    q, k, v = grouped(q[..., blind:, :], k, v)
    return above(blind, all_at_once(q, k, v, causal, scale).flatten(1, 2))


def all_at_once(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    causal: bool,
    scale: float,
) -> Tensor:
    """Do what :func:`naive_attention` does, unchecked; the axes in front may broadcast.

    Each query must see a key: a softmax of nothing is NaN.

    Source:
        Vaswani et al. (2017), equation 1.

    >>> all_at_once(torch.zeros(3, 2), torch.ones(5, 2), torch.ones(5, 7), True, 1.0).shape
    torch.Size([3, 7])
    """
    scores = scale * q @ k.mT
    if causal:
        scores = hide_future(scores)
    weights = scores.softmax(dim=-1)
    return weights @ v


def see_nothing(q: Tensor, k: Tensor, causal: bool) -> int:
    """Return how many queries, the first ones, may see no key.

    >>> see_nothing(torch.zeros(5, 2), torch.zeros(3, 2), True)
    2
    """
    return max(0, q.shape[-2] - k.shape[-2]) if causal else 0


def above(blind: int, context: Tensor) -> Tensor:
    """Put a context of zeros above the others for each query that sees nothing.

    >>> above(1, torch.ones(2, 1)).T
    tensor([[0., 1., 1.]])
    """
    rows = (0, 0, blind, 0)
    return nn.functional.pad(context, rows) if blind else context


@checked(*GROUPED, scale=finite, chunk=whole())
def chunked_attention(
    q: Float[Tensor, "batch heads q d_k"],
    k: Float[Tensor, "batch kv_heads k d_k"],
    v: Float[Tensor, "batch kv_heads k d_v"],
    *,
    causal: bool = False,
    scale: float | None = None,
    chunk: int = 256,
) -> Float[Tensor, "batch heads q d_v"]:
    r"""Attention for some queries at a time; the backward pass computes their scores again.

    Only ``chunk`` rows of the score matrix exist at once. Nothing changes in the arithmetic:
    each query's softmax runs over all of its keys. In half precision the scores and weights are
    in half precision.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.
        causal: let query i see the keys up to i + n_k - n_q.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.
        chunk: how many queries at a time.

    Returns:
        The contexts.

    Raises:
        ValueError: if the shapes, formats or devices do not fit, ``scale`` is not a finite
            number, or ``chunk`` is not a positive whole number.

    Source:
        Rabe and Staats (2021), section 3; they cut the keys as well.

    >>> x = torch.ones(1, 2, 7, 3)
    >>> chunked_attention(x, x, x, chunk=4).shape
    torch.Size([1, 2, 7, 3])
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    blind = see_nothing(q, k, causal)
    q, k, v = grouped(q[..., blind:, :], k, v)
    n_q, n_k = q.shape[-2], k.shape[-2]
    found = []
    for start in range(0, max(n_q, 1), chunk):  # at least once
        stop = min(start + chunk, n_q)
        keys = stop + n_k - n_q if causal else n_k
        part = q[..., start:stop, :], k[..., :keys, :], v[..., :keys, :]
        # Kept for the backward pass: what goes in, and no table.
        how: dict[str, Any] = {"use_reentrant": False}
        how["preserve_rng_state"] = False
        found.append(checkpoint(all_at_once, *part, causal, scale, **how))
    return above(blind, torch.cat(found, dim=-2).flatten(1, 2))


@checked(*GROUPED, scale=finite, block_q=whole(), block_k=whole())
def tiled_attention(
    q: Float[Tensor, "batch heads q d_k"],
    k: Float[Tensor, "batch kv_heads k d_k"],
    v: Float[Tensor, "batch kv_heads k d_v"],
    *,
    causal: bool = False,
    scale: float | None = None,
    block_q: int = 128,
    block_k: int = 128,
) -> Float[Tensor, "batch heads q d_v"]:
    r"""Attention in tiles of ``block_q`` by ``block_k`` scores, forwards and backwards.

    The forward pass keeps the contexts and one number per query, its log-sum-exp. The backward
    pass computes each tile's weights again from it. Tiles are computed in float32 where the
    arguments are in half precision. In plain torch this saves memory, not time.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.
        causal: let query i see the keys up to i + n_k - n_q; tiles above the diagonal are left
            out.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.
        block_q: how many queries a tile has.
        block_k: how many keys a tile has.

    Returns:
        The contexts.

    Raises:
        ValueError: if the shapes, formats or devices do not fit, ``scale`` is not a finite
            number, or a block is not a positive whole number.

    Source:
        Dao et al. (2022), algorithms 1 and 4; Dao (2023), algorithms 1 and 2.

    >>> x = torch.ones(1, 2, 7, 3)
    >>> tiled_attention(x, x, x, causal=True, block_q=4, block_k=2).shape
    torch.Size([1, 2, 7, 3])
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    q, k, v = grouped(q, k, v)
    tiled: Any = _Tiled.apply
    context: Tensor = tiled(q, k, v, causal, scale, block_q, block_k)
    return context.flatten(1, 2)


class _Tiled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, *how: Any) -> Tensor:
        context, log_sums = tiled_forward(q, k, v, *how)
        ctx.save_for_backward(q, k, v, context, log_sums)
        ctx.how = how
        return context

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        found = tiled_backward(*ctx.saved_tensors, *gradients, *ctx.how)
        return (*found, None, None, None, None)


def tiled_forward(
    q: Tensor, k: Tensor, v: Tensor, causal: bool, scale: float, block_q: int, block_k: int
) -> tuple[Tensor, Tensor]:
    r"""Return the contexts and the log-sum-exp of each query's scores, tile by tile.

    Checks nothing. The axes before the last two may be any that broadcast in a product.

    Source:
        Dao (2023), algorithm 1.

    >>> x = torch.ones(7, 3)
    >>> context, log_sums = tiled_forward(x, x, x, True, 1.0, 4, 2)
    >>> context.shape, log_sums.shape
    (torch.Size([7, 3]), torch.Size([7]))
    """
    n_q, n_k = q.shape[-2], k.shape[-2]
    context = q.new_empty(*q.shape[:-1], v.shape[-1])
    log_sums = upcast_half(q).new_empty(q.shape[:-1])
    for i in range(0, n_q, block_q):
        rows = slice(i, min(i + block_q, n_q))
        q_i = scale * upcast_half(q[..., rows, :])
        # Not -inf: where nothing is seen, -inf minus -inf would be NaN.
        top = torch.full_like(q_i[..., 0], torch.finfo(q_i.dtype).min)
        total = torch.zeros_like(top)
        acc = q_i.new_zeros(*q_i.shape[:-1], v.shape[-1])
        seen = rows.stop + n_k - n_q if causal else n_k
        for j in range(0, seen, block_k):
            cols = slice(j, min(j + block_k, n_k))
            scores = q_i @ upcast_half(k[..., cols, :]).mT
            if causal:
                scores = hide_future(scores, rows, cols, n_k - n_q)
            v_j = upcast_half(v[..., cols, :])
            top, total, acc = take_in(top, total, acc, scores, v_j)
        # A total is at least 1, or 0 where nothing was seen: there the context is 0.
        context[..., rows, :] = acc / total.clamp(min=1)[..., None]
        log_sums[..., rows] = top + total.log()
    return context, log_sums


def take_in(
    top: Tensor, total: Tensor, acc: Tensor, scores: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Take a tile into what is kept of the tiles before it: a step of the online softmax.

    .. math:: m' = \max(m, \max_j e_j), \quad
       \ell' = e^{m - m'} \ell + \sum_j e^{e_j - m'}, \quad
       \mathbf a' = e^{m - m'} \mathbf a + \sum_j e^{e_j - m'} \mathbf v_j

    Args:
        top: the largest score so far; at first the lowest number there is.
        total: the sum of the exponentials so far.
        acc: the sum of the values so far, weighted by them.
        scores: of the tile.
        v: the tile's values.

    Returns:
        The new three. A total is at least 1, or 0 where nothing was seen.

    Source:
        Milakov and Gimelshein (2018), algorithm 3; Dao et al. (2022), section 3.1.

    >>> top, total, acc = torch.tensor([-1e9]), torch.zeros(1), torch.zeros(1, 1)
    >>> take_in(top, total, acc, torch.zeros(1, 2), torch.tensor([[1.0], [3.0]]))
    (tensor([0.]), tensor([2.]), tensor([[4.]]))
    """
    new_top = torch.maximum(top, scores.amax(dim=-1))
    fade = (top - new_top).exp()
    exps = (scores - new_top[..., None]).exp()
    total = fade * total + exps.sum(dim=-1)
    acc = fade[..., None] * acc + exps @ v
    return new_top, total, acc


def tiled_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    context: Tensor,
    log_sums: Tensor,
    gradient: Tensor,
    causal: bool,
    scale: float,
    block_q: int,
    block_k: int,
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Return the gradients by queries, keys and values, tile by tile.

    .. math:: P_{ij} = e^{s\, \mathbf q_i \cdot \mathbf k_j - \ell_i}, \qquad
       \frac{\partial L}{\partial e_{ij}} = P_{ij} \bigl(
       \mathbf g_i \cdot \mathbf v_j - \mathbf g_i \cdot \mathbf c_i \bigr)

    Checks nothing. ``context`` and ``log_sums`` are what :func:`tiled_forward` returned.

    Source:
        Dao et al. (2022), algorithm 4; Dao (2023), algorithm 2.

    >>> x = torch.ones(7, 3)
    >>> found = tiled_forward(x, x, x, True, 1.0, 4, 2)
    >>> [d.shape for d in tiled_backward(x, x, x, *found, x, True, 1.0, 4, 2)]
    [torch.Size([7, 3]), torch.Size([7, 3]), torch.Size([7, 3])]
    """
    n_q, n_k = q.shape[-2], k.shape[-2]
    dq, dk, dv = (torch.zeros_like(upcast_half(x)) for x in (q, k, v))
    along = (upcast_half(gradient) * upcast_half(context)).sum(-1, True)
    # exp(score - inf) is 0: a query that saw nothing has no gradient.
    log_sums = log_sums.masked_fill(log_sums == -torch.inf, torch.inf)
    for j in range(0, n_k, block_k):
        cols = slice(j, min(j + block_k, n_k))
        k_j, v_j = (upcast_half(x[..., cols, :]) for x in (k, v))
        # Queries in the blocks before see none of these keys.
        blind = max(0, j - (n_k - n_q)) // block_q if causal else 0
        for i in range(blind * block_q, n_q, block_q):
            rows = slice(i, min(i + block_q, n_q))
            q_i, g_i = (upcast_half(x[..., rows, :]) for x in (q, gradient))
            scores = scale * q_i @ k_j.mT
            if causal:
                scores = hide_future(scores, rows, cols, n_k - n_q)
            weights = (scores - log_sums[..., rows, None]).exp()
            slopes = weights * (g_i @ v_j.mT - along[..., rows, :])
            dq[..., rows, :] += scale * slopes @ k_j
            dk[..., cols, :] += (scale * slopes.mT @ q_i).sum_to_size(k_j.shape)
            dv[..., cols, :] += (weights.mT @ g_i).sum_to_size(v_j.shape)
    return dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype)


def hide_future(
    scores: Tensor,
    rows: slice | None = None,
    cols: slice | None = None,
    shift: int | None = None,
) -> Tensor:
    """Return a tile of scores with minus infinity where query i may not see key j.

    Query i sees the keys up to i + shift; rows and columns say where the tile lies. Without
    them these are all scores, and the last query sees the last key.

    >>> hide_future(torch.zeros(2, 3), slice(4, 6), slice(3, 6), 0)
    tensor([[0., 0., -inf],
            [0., 0., 0.]])
    """
    n_q, n_k = scores.shape[-2:]
    rows, cols = rows or slice(0, n_q), cols or slice(0, n_k)
    shift = n_k - n_q if shift is None else shift
    i = torch.arange(rows.start, rows.stop, device=scores.device)
    j = torch.arange(cols.start, cols.stop, device=scores.device)
    return scores.masked_fill(j > i[:, None] + shift, -torch.inf)


@checked(non_empty_axes="parts")
def merge_partials(
    contexts: Float[Tensor, "parts *batch q d_v"], log_sum_exps: Float[Tensor, "parts *batch q"]
) -> tuple[Float[Tensor, "*batch q d_v"], Float[Tensor, "*batch q"]]:
    r"""Merge what the same queries found in several parts of the keys.

    .. math:: \mathbf c = \sum_p e^{L_p - L}\, \mathbf c_p, \qquad
       L = \log \sum_p e^{L_p}

    The order of the parts does not matter, save for rounding.

    Args:
        contexts: of each part, along the first axis.
        log_sum_exps: of each part; minus infinity where a query saw nothing.

    Returns:
        The contexts over all keys and their log-sum-exps, so that merging can go on.

    Source:
        Rabe and Staats (2021), section 2; Dao et al. (2022), section 3.1.

    >>> contexts, sums = torch.tensor([[[1.0]], [[5.0]]]), torch.tensor([[3.0], [1.0]])
    >>> merge_partials(contexts, sums.log())[0]
    tensor([[2.]])
    """
    logs = upcast_half(log_sum_exps)
    top = logs.detach().amax(dim=0)
    top = top.masked_fill(top == -torch.inf, 0.0)
    shares = (logs - top).exp()
    total = shares.sum(dim=0)
    nothing = total == 0
    total = total.masked_fill(nothing, 1.0)
    mixed = (shares[..., None] * upcast_half(contexts)).sum(dim=0)
    context = mixed / total[..., None]
    log_sums = (top + total.log()).masked_fill(nothing, -torch.inf)
    return context.to(contexts.dtype), log_sums


def grouped(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Give queries an axis for the group that shares a key head: nothing is copied.

    >>> q, k = torch.ones(1, 6, 5, 2), torch.ones(1, 3, 7, 2)
    >>> [x.shape[1:3] for x in grouped(q, k, k)]
    [torch.Size([3, 2]), torch.Size([3, 1]), torch.Size([3, 1])]
    """
    return q.unflatten(1, (k.shape[1], -1)), k.unsqueeze(2), v.unsqueeze(2)
