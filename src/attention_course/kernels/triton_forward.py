"""The forward pass in Triton: one program computes a block of queries of one head.

This module imports Triton; pages read it without. Words in capitals are known when the kernel
is compiled, so an ``if`` on one of them costs nothing. ``place`` is a pair: sequence and head.
"""

import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)
# The interpreter's product of bfloat16 is wrong, so there the factors are made float32.
INTERPRETED = tl.constexpr(triton.knobs.runtime.interpret)


@triton.jit
def forward_kernel(
    q, k, v, context, lse, strides, heads, group, n_q, n_k, scale,
    CAUSAL: tl.constexpr, SIZE: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, EXP2: tl.constexpr,
    SPLIT: tl.constexpr, TMA: tl.constexpr, WARPS: tl.constexpr,
):  # fmt: skip
    """Attend with one block of queries; the grid is (blocks, sequences times heads)."""
    row = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK_Q
    own = (tl.program_id(1) // heads, tl.program_id(1) % heads)
    place = (own[0], own[1] // group)
    q = load(q, strides[0], own, row, n_q, BLOCK_Q, SIZE, TMA)
    seen = reach(row + tl.arange(0, BLOCK_Q), n_q, n_k, CAUSAL)
    end = reach(row + BLOCK_Q - 1, n_q, n_k, CAUSAL)
    full = reach(row, n_q, n_k, CAUSAL) // BLOCK_K * BLOCK_K
    if not SPLIT:
        full *= 0
    if EXP2:
        scale *= LOG2_E
    state = nothing_seen(BLOCK_Q, SIZE)
    if SPLIT:
        state = attend(
            state, q, k, v, strides, place, seen, n_k, scale, 0, full,
            BLOCK_K, False, EXP2, TMA, WARPS,
        )  # fmt: skip
    state = attend(
        state, q, k, v, strides, place, seen, n_k, scale, full, end,
        BLOCK_K, True, EXP2, TMA, WARPS,
    )  # fmt: skip
    store(state, context, lse, strides[3], own, row, n_q, EXP2)


@triton.jit
def nothing_seen(ROWS: tl.constexpr, SIZE: tl.constexpr):
    """Return sum of values, sum of weights and largest score before any key."""
    sums = tl.zeros([ROWS, SIZE], tl.float32)
    top = tl.full([ROWS], float("-inf"), tl.float32)
    return sums, tl.zeros([ROWS], tl.float32), top


@triton.jit
def reach(rows, n_q, n_k, CAUSAL: tl.constexpr):
    """Return how many keys, from the first on, the queries of these rows may see."""
    seen = rows * 0 + n_k
    if CAUSAL:
        seen = tl.minimum(seen, tl.maximum(0, rows + 1 + n_k - n_q))
    return seen


@triton.jit
def attend(
    state, q, k, v, strides, place, seen, n_k, scale, low, high,
    BLOCK_K: tl.constexpr, MASKED: tl.constexpr, EXP2: tl.constexpr,
    TMA: tl.constexpr, WARPS: tl.constexpr,
):  # fmt: skip
    """Take in the keys from ``low`` to ``high``, block by block."""
    sums, total, top = state
    SIZE: tl.constexpr = q.shape[1]
    n = n_k if MASKED else None
    for start in tl.range(low, high, BLOCK_K, warp_specialize=WARPS):
        k_block = load(k, strides[1], place, start, n, BLOCK_K, SIZE, TMA)
        v_block = load(v, strides[2], place, start, n, BLOCK_K, SIZE, TMA)
        scores = multiply(q, k_block.T, None)
        if MASKED:
            keys = start + tl.arange(0, BLOCK_K)
            mask = keys[None, :] < seen[:, None]
            scores = tl.where(mask, scores, float("-inf"))
        sums, total, top = take_in(
            sums, total, top, scores, v_block, scale, EXP2
        )  # fmt: skip
    return sums, total, top


@triton.jit
def take_in(sums, total, top, scores, v, scale, EXP2: tl.constexpr):
    """Update a block of queries with the scores of a block of keys: the online softmax."""
    new_top = tl.maximum(top, tl.max(scores, 1) * scale)
    base = tl.where(new_top == float("-inf"), 0.0, new_top)
    weights = exponential(scores * scale - base[:, None], EXP2)
    shrink = exponential(top - base, EXP2)
    total = total * shrink + tl.sum(weights, 1)
    sums = multiply(weights.to(v.dtype), v, sums * shrink[:, None])
    return sums, total, new_top


@triton.jit
def exponential(x, EXP2: tl.constexpr):
    """Return 2 to the power of x, or e to the power of x."""
    return tl.exp2(x) if EXP2 else tl.exp(x)


@triton.jit
def multiply(a, b, add):
    """Return ``a @ b + add``: factors as they come, sums in single precision."""
    if INTERPRETED:
        a, b = a.to(tl.float32), b.to(tl.float32)
    return tl.dot(a, b, add, input_precision="ieee")


@triton.jit
def load(
    x, strides, place, start, n,
    ROWS: tl.constexpr, SIZE: tl.constexpr, TMA: tl.constexpr,
):  # fmt: skip
    """Return rows from ``start`` on, zeros from row ``n`` on. No ``n``: all are there."""
    if TMA:
        block = x.load([place[0], place[1], start, 0]).reshape(ROWS, SIZE)
    elif n is None:
        block = tl.load(addresses(x, strides, place, start, ROWS, SIZE))
    else:
        there = (start + tl.arange(0, ROWS) < n)[:, None]
        at = addresses(x, strides, place, start, ROWS, SIZE)
        block = tl.load(at, mask=there, other=0.0)
    return block


@triton.jit
def addresses(
    x, strides, place, start, ROWS: tl.constexpr, SIZE: tl.constexpr
):  # fmt: skip
    """Return the address of each number in some rows of one head."""
    x += tl.cast(place[0], tl.int64) * strides[0]
    x += tl.cast(place[1], tl.int64) * strides[1]
    x += tl.cast(start, tl.int64) * strides[2]
    rows = tl.arange(0, ROWS)[:, None] * strides[2]
    return x + rows + tl.arange(0, SIZE)[None, :]


@triton.jit
def store(
    state, context, lse, strides, place, row, n_q, EXP2: tl.constexpr
):  # fmt: skip
    """Divide by the sum of the weights, once; write contexts and log-sum-exps."""
    sums, total, top = state
    ROWS: tl.constexpr = sums.shape[0]
    rows = row + tl.arange(0, ROWS)
    total = tl.where(total == 0, 1.0, total)
    sums /= total[:, None]
    at = addresses(context, strides, place, row, ROWS, sums.shape[1])
    sums = sums.to(context.dtype.element_ty)
    tl.store(at, sums, mask=(rows < n_q)[:, None])
    if EXP2:
        top = (top + tl.log2(total)) / LOG2_E
    else:
        top += tl.log(total)
    lse += tl.cast(tl.program_id(1), tl.int64) * n_q
    tl.store(lse + rows, top, mask=rows < n_q)
