"""The door to the Triton kernel for texts end to end: checks, tiles, one launch.

Importing this module needs torch only, as that of ``triton_attention``.
"""

import itertools
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention_course._shapes import Float, Int
from attention_course.kernels.triton_attention import (
    _capability,
    _check,
    _fetchable,
    why_not,
)
from attention_course.kernels.triton_variants import SPLIT, Blocks, forward_blocks
from attention_course.reference._checked import checked
from attention_course.reference.scale._texts import boundaries, same_texts


@checked(same_texts, cu_seqlens=boundaries("q"), cu_seqlens_k=boundaries("k"))
def triton_varlen_attention(
    q: Float[Tensor, "q heads d"],
    k: Float[Tensor, "k kv_heads d"],
    v: Float[Tensor, "k kv_heads d"],
    cu_seqlens: Int[Tensor, " edges"],
    cu_seqlens_k: Int[Tensor, " edges_k"] | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> Float[Tensor, "q heads d"]:
    """Attend in each of several texts that lie end to end, by one Triton kernel; no gradients.

    Args:
        q: queries of all texts, one after the other; what ``triton_attention`` asks of device,
            format and heads holds here too.
        k: keys, in the same order of texts.
        v: values, one for each key.
        cu_seqlens: the running sum of the lengths, from 0; one more than there are texts. The
            host reads it, and cuts the texts into tiles.
        cu_seqlens_k: that of the keys, where their numbers differ; unless given, the same.
        causal: a query sees no later key of its text; of unequal lengths, the last are aligned.
        scale: positive factor of the scores; 1/√d unless given.

    Returns:
        Contexts shaped like the queries; zeros for a query that sees no key.

    Raises:
        ValueError: if the kernel cannot do it; the message says what it can.
        ImportError: if there is no Triton.

    Source:
        Dao (2023), whose code calls the boundaries ``cu_seqlens``.
    """
    one, two, three = (x.transpose(0, 1)[None] for x in (q, k, v))
    _check(one, two, three, scale)
    if torch.is_grad_enabled() and any(x.requires_grad for x in (q, k, v)):
        said = "q, k and v must need no gradient (there is no backward pass), got some that do"
        raise ValueError(f"triton_varlen_attention: {said}")
    edges_q = cu_seqlens.tolist()
    edges_k = edges_q if cu_seqlens_k is None else cu_seqlens_k.tolist()
    reason = why_not(SPLIT, q.device)
    if reason:
        raise ValueError(f"triton_varlen_attention: {reason}")
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    q, k, v = map(_fetchable, (q, k, v))
    longest = max(b - a for a, b in itertools.pairwise(edges_q))
    blocks = varlen_blocks(q.shape[-1], q.itemsize, longest, _capability(q.device))
    context = torch.empty_like(q)
    with torch.cuda.device_of(q):
        launch_varlen(q, k, v, context, edges_q, edges_k, causal, scale, blocks)
    return context


def varlen_blocks(
    size: int, itemsize: int, longest: int, capability: tuple[int, int]
) -> Blocks:
    """Return the blocks that the kernel works with: those of the forward pass.

    Where texts begin takes registers too: in four warps a Blackwell graphics card spills some.

    >>> varlen_blocks(64, 2, 512, (9, 0)).warps, varlen_blocks(64, 2, 512, (12, 0)).warps
    (4, 8)
    """
    blocks = forward_blocks(size, itemsize, longest, capability)[0]
    return replace(blocks, warps=8) if capability >= (12, 0) and blocks.q == 128 else blocks


def query_tiles(edges: list[int], block: int) -> list[tuple[int, int]]:
    """Return a program's work each: which text, and its first query there.

    >>> query_tiles([0, 5, 5, 8], block=4)
    [(0, 0), (0, 4), (2, 0)]
    """
    lengths = (b - a for a, b in itertools.pairwise(edges))
    return [(text, row) for text, n in enumerate(lengths) for row in range(0, n, block)]


def launch_varlen(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    context: Tensor,
    edges_q: list[int],
    edges_k: list[int],
    causal: bool,
    scale: float,
    blocks: Blocks,
) -> Tensor:
    """Run the kernel once for all texts; return the log-sum-exps (heads, tokens)."""
    from attention_course.kernels.triton_attention import _launch
    from attention_course.kernels.triton_varlen import varlen_kernel

    total, heads, size = q.shape
    tiles = query_tiles(edges_q, blocks.q)
    lse = q.new_empty((heads, total), dtype=torch.float32)
    if not tiles:
        return lse

    def there(x: Any) -> Tensor:
        return torch.tensor(x, dtype=torch.int32, device=q.device)

    _launch(
        varlen_kernel,
        (len(tiles), heads),
        *(q, k, v, context, lse),
        tuple((0, x.stride(1), x.stride(0)) for x in (q, k, v, context)),
        *(there(tiles), there(edges_q), there(edges_k)),
        *(heads // k.shape[1], total, scale),
        CAUSAL=causal,
        SIZE=size,
        BLOCK_Q=blocks.q,
        BLOCK_K=blocks.k,
        blocks=blocks,
    )
    return lse
