"""Block-sparse attention: the blocks that are on are gathered, the others never computed."""

import torch
from torch import Tensor

from attention_course._shapes import Bool, Float
from attention_course.layers.attention import masked_softmax_unchecked
from attention_course.layers.scores import upcast_half
from attention_course.reference._check import finite, one_format, square_if_causal, whole
from attention_course.reference._checked import checked


@checked(
    one_format("q", "k"),
    size=whole(),
    scale=finite,
    causal=square_if_causal,
    q_blocks=lambda q, size: -(-q // size),
    k_blocks=lambda k, size: -(-k // size),
)
def block_sparse_attention(
    q: Float[Tensor, "*batch q d_k"],
    k: Float[Tensor, "*batch k d_k"],
    v: Float[Tensor, "*batch k d_v"],
    blocks: Bool[Tensor, "q_blocks k_blocks"],
    size: int,
    causal: bool = False,
    scale: float | None = None,
) -> Float[Tensor, "*batch q d_v"]:
    r"""Attend to the blocks of keys that are on; the others are not computed.

    .. math:: m_{ij} = B_{\lfloor i / b \rfloor,\, \lfloor j / b \rfloor}

    The pattern is read on the CPU, before anything is computed: it belongs there.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.
        blocks: True where a block of queries sees a block of keys; one row for each block of
            queries. A row of nothing gives zeros.
        size: queries, and keys, in a block; the last block may be shorter.
        causal: whether keys behind the query are left out as well.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.

    Returns:
        The context vectors.

    Source:
        Child et al. (2019), sections 4 and 5.5; Zaheer et al. (2020), section 2.

    >>> x, on = torch.ones(2, 6, 4), torch.eye(3, dtype=torch.bool)
    >>> block_sparse_attention(x, x, x, on, size=2).shape
    torch.Size([2, 6, 4])
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    parts = [upcast_half(x).split(size, dim=-2) for x in (q, k, v)]
    queries, keys, values = parts
    found = []
    for row, on in enumerate(blocks.tolist()):
        these = [j for j, seen in enumerate(on) if seen]
        if not these:
            found.append(queries[row] @ (keys[0] * 0).mT @ (values[0] * 0))
            continue
        some_keys = torch.cat([keys[j] for j in these], -2)
        some_values = torch.cat([values[j] for j in these], -2)
        scores = scale * queries[row] @ some_keys.mT
        mask = past_only(row, these, size, scores) if causal else None
        found.append(masked_softmax_unchecked(scores, mask) @ some_values)
    return torch.cat(found, dim=-2).to(v.dtype)


def past_only(row: int, columns: list[int], size: int, scores: Tensor) -> Tensor:
    """Return the causal mask of one block of queries and the keys of some blocks."""
    n, device = scores.shape[-2], scores.device
    here = torch.arange(size, device=device)
    key = torch.cat([j * size + here for j in columns])[: scores.shape[-1]]
    return key <= row * size + torch.arange(n, device=device)[:, None]
