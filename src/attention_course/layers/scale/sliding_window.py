"""Sliding-window attention in blocks: no score outside two blocks is ever computed."""

import torch
from torch import Tensor, nn

from attention_course._shapes import Float
from attention_course.layers.attention import masked_softmax_unchecked
from attention_course.layers.scores import upcast_half
from attention_course.reference._check import enough_keys, finite, one_format, whole
from attention_course.reference._checked import checked


@checked(enough_keys, one_format("q", "k"), width=whole(), scale=finite)
def sliding_window_attention(
    q: Float[Tensor, "*batch q d_k"],
    k: Float[Tensor, "*batch k d_k"],
    v: Float[Tensor, "*batch k d_v"],
    width: int,
    scale: float | None = None,
) -> Float[Tensor, "*batch q d_v"]:
    r"""Attend to the nearest keys alone: itself and ``width - 1`` before.

    .. math:: \mathbf c_i = \sum_{j = i - w + 1}^{i} \alpha_{ij}\, \mathbf v_j

    A block of ``width`` queries looks at ``2 * width`` keys, its own block and the one before,
    and a mask cuts the band out of these. So time and memory grow with queries times width.

    Args:
        q: queries; the last one is beside the last key.
        k: keys, at least as many as queries.
        v: values, one for each key.
        width: how many keys a query sees at most, itself included; at least 1.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.

    Returns:
        The context vectors.

    Source:
        Beltagy et al. (2020), section 3.1 and appendix A, "sliding chunks", with the window
        behind the query.

    >>> x = torch.ones(2, 5, 4)
    >>> sliding_window_attention(x, x, x, width=2).shape
    torch.Size([2, 5, 4])
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    keys, values, real = two_blocks(k, v, q.shape[-2], width)
    queries = in_blocks(upcast_half(q), 0, width)
    i = torch.arange(width, device=q.device)[:, None]
    j = torch.arange(2 * width, device=q.device)
    band = (i < j) & (j <= i + width)  # block j begins one block before i
    scores = scale * queries @ keys.mT
    weights = masked_softmax_unchecked(scores, band & real)
    context = (weights @ values).flatten(-3, -2)
    return context[..., : q.shape[-2], :].to(v.dtype)


def two_blocks(
    k: Tensor, v: Tensor, n_queries: int, width: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Lay each block of keys and values beside the block before it.

    Returns:
        Keys, values, and which of the keys are real and not filled in.
    """
    past = min(k.shape[-2], n_queries + width)  # what any query can see
    missing = n_queries + width - past
    seen = (upcast_half(x[..., -past:, :]) for x in (k, v))
    blocks = [in_blocks(x, missing, width) for x in seen]
    pairs = ([x[..., :-1, :, :], x[..., 1:, :, :]] for x in blocks)
    keys, values = (torch.cat(pair, dim=-2) for pair in pairs)
    first = width * torch.arange(keys.shape[-3], device=k.device)[:, None]
    place = first + torch.arange(2 * width, device=k.device)
    return keys, values, (place >= missing)[:, None, :]


def in_blocks(x: Tensor, before: int, width: int) -> Tensor:
    """Fill a sequence up with zeros, before and behind, and cut it into blocks."""
    behind = -(before + x.shape[-2]) % width
    filled = nn.functional.pad(x, (0, 0, before, behind))
    return filled.unflatten(-2, (-1, width))
