"""Attention for one new token: few queries, many keys, every byte of which is read once."""

import torch
from torch import Tensor

from attention_course._shapes import Float
from attention_course.kernels.tiled import GROUPED, merge_partials
from attention_course.layers.scores import upcast_half
from attention_course.reference._check import finite, whole
from attention_course.reference._checked import checked


@checked(*GROUPED, scale=finite)
def grouped_attention(
    q: Float[Tensor, "batch heads q d_k"],
    k: Float[Tensor, "batch kv_heads k d_k"],
    v: Float[Tensor, "batch kv_heads k d_v"],
    *,
    causal: bool = False,
    scale: float | None = None,
) -> Float[Tensor, "batch heads q d_v"]:
    r"""Attention in which neighbouring heads share keys and values that are never repeated.

    .. math:: C^h = \operatorname{softmax}\bigl(s\, Q^h {K^{g(h)}}^\top\bigr)\, V^{g(h)}, \qquad
       g(h) = \lfloor h\, h_{kv} / h \rfloor

    The queries of a group are below one another, as if they were further positions of one
    head: then the same product reads each key once for all of them. In half precision the
    queries are scaled first, and each score is rounded once.

    Args:
        q: queries.
        k: keys, of as many heads or fewer; their number divides that of the queries' heads.
        v: values, one for each key.
        causal: whether a query sees no later position; the last query sees every key.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.

    Returns:
        The contexts.

    Source:
        Ainslie et al. (2023), section 2.2; Shazeer (2019), section 3, for one group.

    >>> q, k = torch.ones(1, 6, 1, 4), torch.ones(1, 2, 9, 4)
    >>> grouped_attention(q, k, torch.ones(1, 2, 9, 5)).shape
    torch.Size([1, 6, 1, 5])
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    group = q.shape[1] // k.shape[1]
    rows = q.unflatten(1, (-1, group)).flatten(2, 3)
    scores = upcast_half((scale * rows) @ k.mT)
    if causal:
        n_q, n_k = q.shape[2], k.shape[2]
        may = torch.ones(n_q, n_k, dtype=torch.bool, device=q.device)
        may = may.tril(n_k - n_q).repeat(group, 1)
        scores = scores.masked_fill(~may, -torch.inf)
    weights = scores.softmax(-1).to(v.dtype)
    return (weights @ v).unflatten(2, (group, -1)).flatten(1, 2)


@checked(*GROUPED, scale=finite)
def repeated_attention(
    q: Float[Tensor, "batch heads q d_k"],
    k: Float[Tensor, "batch kv_heads k d_k"],
    v: Float[Tensor, "batch kv_heads k d_v"],
    *,
    scale: float | None = None,
) -> Float[Tensor, "batch heads q d_v"]:
    r"""Attention as :func:`grouped_attention`, on copies of keys and values, one for each head.

    .. math:: \tilde K = (\underbrace{K^1, \dots, K^1}_{\text{group}}, K^2, \dots)

    The rival: it is what many tutorials do. It gives up what shared keys are for. In
    half precision it rounds as the other does.

    Args:
        q: queries.
        k: keys, of as many heads or fewer.
        v: values, one for each key.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.

    Returns:
        The contexts.

    Source:
        Common practice.

    >>> q, k = torch.ones(1, 6, 1, 4), torch.ones(1, 2, 9, 4)
    >>> repeated_attention(q, k, torch.ones(1, 2, 9, 5)).shape
    torch.Size([1, 6, 1, 5])
    """
    group = q.shape[1] // k.shape[1]
    if group > 1:
        k, v = (x.repeat_interleave(group, dim=1) for x in (k, v))
    return grouped_attention(q, k, v, scale=scale)


def attend_to_part(
    q: Float[Tensor, "*batch q d_k"],
    k: Float[Tensor, "*batch2 part d_k"],
    v: Float[Tensor, "*batch2 part d_v"],
    scale: float,
) -> tuple[Float[Tensor, "*batch3 q d_v"], Float[Tensor, "*batch3 q"]]:
    r"""Attend to some of the keys; say how much they weigh. Checks nothing.

    .. math:: c = \frac{\sum_j e^{e_j - m}\, v_j}{\sum_j e^{e_j - m}}, \qquad
       L = m + \log \sum_j e^{e_j - m}, \qquad m = \max_j e_j

    Args:
        q: queries.
        k: some of the keys.
        v: their values.
        scale: what the dot products are multiplied by.

    Returns:
        The contexts over this part, and the log-sum-exp of each query's scores.

    Source:
        Dao et al. (2023), "Flash-Decoding", steps 1 and 2.

    >>> c, log_sum = attend_to_part(torch.ones(1, 4), torch.ones(9, 4), torch.ones(9, 5), 0.5)
    >>> c.shape, log_sum.shape
    (torch.Size([1, 5]), torch.Size([1]))
    """
    scores = upcast_half((scale * q) @ k.mT)
    top = scores.amax(-1, keepdim=True)
    exps = (scores - top).exp()
    total = exps.sum(-1, keepdim=True)
    context = (exps / total).to(v.dtype) @ v
    return context, (top + total.log()).squeeze(-1)


@checked(*GROUPED, scale=finite, parts=whole())
def split_kv_attention(
    q: Float[Tensor, "batch heads q d_k"],
    k: Float[Tensor, "batch kv_heads k d_k"],
    v: Float[Tensor, "batch kv_heads k d_v"],
    parts: int,
    *,
    scale: float | None = None,
) -> Float[Tensor, "batch heads q d_v"]:
    r"""Attention in which the keys are cut into parts that need nothing of one another.

    .. math:: c = \sum_p e^{L_p - L}\, c_p, \qquad L = \log \sum_p e^{L_p}

    The parts are one more axis of the batch, so that a GPU can give each to another of its
    processors. Keys that are left over make a last part. Keys and values are not copied where
    they lie without gaps between the heads. In half precision the queries are scaled first, and
    each score is rounded once.

    Args:
        q: queries; each sees every key.
        k: keys, of as many heads or fewer.
        v: values, one for each key.
        parts: how many.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.

    Returns:
        The contexts, as of one softmax over all keys.

    Raises:
        ValueError: if the shapes do not fit, or there are more parts than keys.

    Source:
        Dao et al. (2023), "Flash-Decoding".

    >>> q, k = torch.ones(1, 6, 1, 4), torch.ones(1, 2, 9, 4)
    >>> split_kv_attention(q, k, torch.ones(1, 2, 9, 5), parts=4).shape
    torch.Size([1, 6, 1, 5])
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    n, group = k.shape[2], q.shape[1] // k.shape[1]
    if parts > n:
        got = f"at most {n}, got {parts}"
        raise ValueError(f"split_kv_attention: parts must be {got}")
    rows = q.unflatten(1, (-1, group)).flatten(2, 3)
    cut = n - n % parts
    k_parts = k[:, :, :cut].unflatten(2, (parts, -1))
    v_parts = v[:, :, :cut].unflatten(2, (parts, -1))
    whole = attend_to_part(rows[:, :, None], k_parts, v_parts, scale)
    found = [tuple(x.movedim(2, 0) for x in whole)]
    if cut < n:
        rest = attend_to_part(rows, k[:, :, cut:], v[:, :, cut:], scale)
        found.append(tuple(x[None] for x in rest))
    contexts, log_sums = map(torch.cat, zip(*found, strict=True))
    merged, _ = merge_partials(contexts, log_sums)
    return merged.unflatten(2, (group, -1)).flatten(1, 2)
