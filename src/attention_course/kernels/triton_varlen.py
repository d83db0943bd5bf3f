"""The forward pass for texts end to end: one program computes a block of queries of one text.

This module imports Triton; pages read it without. It has the loop of ``triton_forward``; only
where a text begins and ends is looked up here.
"""

import triton
import triton.language as tl

from attention_course.kernels.triton_forward import (
    LOG2_E,
    attend,
    load,
    nothing_seen,
    reach,
    store,
)


@triton.jit
def varlen_kernel(
    q, k, v, context, lse, strides, tiles, cu_q, cu_k, group, total, scale,
    CAUSAL: tl.constexpr, SIZE: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Attend with one block of queries of one text; the grid is (tiles, heads)."""
    text = tl.load(tiles + 2 * tl.program_id(0))
    row = tl.load(tiles + 2 * tl.program_id(0) + 1)
    start_q, n_q = where(cu_q, text)
    start_k, n_k = where(cu_k, text)
    q += start_q * strides[0][2]
    k += start_k * strides[1][2]
    v += start_k * strides[2][2]
    context += start_q * strides[3][2]
    # A head has `total` log-sum-exps; `store` goes on by n_q a head.
    lse += start_q + tl.program_id(1).to(tl.int64) * (total - n_q)
    attend_in_text(
        q, k, v, context, lse, strides, row, n_q, n_k, group, scale,
        CAUSAL, SIZE, BLOCK_Q, BLOCK_K,
    )  # fmt: skip


@triton.jit
def where(cu_seqlens, text):
    """Return where a text begins, and how long it is."""
    start = tl.load(cu_seqlens + text)
    return start.to(tl.int64), tl.load(cu_seqlens + text + 1) - start


@triton.jit
def attend_in_text(
    q, k, v, context, lse, strides, row, n_q, n_k, group, scale,
    CAUSAL: tl.constexpr, SIZE: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Attend with the block from ``row`` on, as ``forward_kernel`` does with a split loop."""
    own = (0, tl.program_id(1))
    place = (0, own[1] // group)
    q = load(q, strides[0], own, row, n_q, BLOCK_Q, SIZE, False)
    seen = reach(row + tl.arange(0, BLOCK_Q), n_q, n_k, CAUSAL)
    end = reach(row + BLOCK_Q - 1, n_q, n_k, CAUSAL)
    full = reach(row, n_q, n_k, CAUSAL) // BLOCK_K * BLOCK_K
    scale *= LOG2_E
    state = nothing_seen(BLOCK_Q, SIZE)
    state = attend(
        state, q, k, v, strides, place, seen, n_k, scale, 0, full,
        BLOCK_K, False, True, False, False,
    )  # fmt: skip
    state = attend(
        state, q, k, v, strides, place, seen, n_k, scale, full, end,
        BLOCK_K, True, True, False, False,
    )  # fmt: skip
    store(state, context, lse, strides[3], own, row, n_q, True)
