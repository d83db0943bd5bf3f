"""The backward pass in Triton: weights are computed again from the log-sum-exps.

Three kernels: one number for each query, then the gradients of the keys and values (a program
for each block of keys walks over the queries), then those of the queries (a program for each
block of queries walks over the keys). Nothing is added up by two programs at once, so that two
runs give the same bits.
"""

import triton
import triton.language as tl

from attention_course.kernels.triton_forward import (
    LOG2_E,
    addresses,
    load,
    multiply,
    reach,
)


@triton.jit
def prepare_kernel(
    context, d_out, lse, d_lse, top, due, strides, heads, n_q, n_padded,
    SIZE: tl.constexpr, BLOCK_Q: tl.constexpr,
):  # fmt: skip
    """Write the log-sum-exp of each query, to base 2, and its context times the gradient.

    Rows that do not exist, or see nothing, get an infinite log-sum-exp: weights of zero.
    """
    row = tl.program_id(0) * BLOCK_Q
    one = tl.cast(tl.program_id(1), tl.int64)
    place = (tl.program_id(1) // heads, tl.program_id(1) % heads)
    rows = row + tl.arange(0, BLOCK_Q)
    there = rows < n_q
    x = load(context, strides[0], place, row, n_q, BLOCK_Q, SIZE, False)
    d_x = load(d_out, strides[1], place, row, n_q, BLOCK_Q, SIZE, False)
    total = tl.sum(x.to(tl.float32) * d_x.to(tl.float32), 1)
    total -= tl.load(d_lse + one * n_q + rows, mask=there, other=0.0)
    lse = tl.load(lse + one * n_q + rows, mask=there, other=float("inf"))
    lse = tl.where(lse == float("-inf"), float("inf"), lse)
    tl.store(top + one * n_padded + rows, lse * LOG2_E)
    tl.store(due + one * n_padded + rows, total)


@triton.jit
def score_gradients(
    a, b, c, d, top, due, scale, mask, MASKED: tl.constexpr
):  # fmt: skip
    """Return weights and the gradients of the scores, from queries to keys or the other way.

    ``a`` and ``c`` own the rows: queries and the gradients of their contexts, while ``b`` and
    ``d`` are keys and values; or ``a`` and ``c`` are keys and values, ``b`` and ``d`` the
    others, and everything is transposed.
    """
    scores = multiply(a, b.T, None) * (scale * LOG2_E)
    if MASKED:
        scores = tl.where(mask, scores, float("-inf"))
    weights = tl.exp2(scores - top)
    return weights, weights * (multiply(c, d.T, None) - due)


@triton.jit
def keys_kernel(
    q, k, v, d_out, top, due, d_k, d_v, d_q, strides,
    heads, group, n_q, n_k, n_padded, scale, CAUSAL: tl.constexpr,
    SIZE: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
    TMA: tl.constexpr,
):  # fmt: skip
    """Write the gradients of a block of keys and of its values: sums over queries and heads.

    What it gives to the queries' gradients it adds to ``d_q``, unless that is None: float32,
    with rows for whole blocks.
    """
    start, kv_heads = tl.program_id(0) * BLOCK_K, heads // group
    place = (tl.program_id(1) // kv_heads, tl.program_id(1) % kv_heads)
    k = load(k, strides[1], place, start, n_k, BLOCK_K, SIZE, TMA)
    v = load(v, strides[2], place, start, n_k, BLOCK_K, SIZE, TMA)
    sum_k = tl.zeros([BLOCK_K, SIZE], tl.float32)
    sum_v = tl.zeros([BLOCK_K, SIZE], tl.float32)
    first, full = rows_that_see(start, n_q, n_k, BLOCK_Q, BLOCK_K, CAUSAL)
    for member in range(group):
        one = (place[0], place[1] * group + member)
        skip = tl.cast(one[0] * heads + one[1], tl.int64) * n_padded
        if CAUSAL:
            sum_k, sum_v = over_queries(
                sum_k, sum_v, k, v, q, d_out, top + skip, due + skip, d_q,
                strides, one, start, n_q, n_k, scale, first, full,
                BLOCK_Q, True, TMA,
            )  # fmt: skip
        sum_k, sum_v = over_queries(
            sum_k, sum_v, k, v, q, d_out, top + skip, due + skip, d_q,
            strides, one, start, n_q, n_k, scale, full, n_q,
            BLOCK_Q, False, TMA,
        )  # fmt: skip
    write(d_k, strides[4], place, start, n_k, sum_k * scale)
    write(d_v, strides[5], place, start, n_k, sum_v)


@triton.jit
def rows_that_see(
    start, n_q, n_k, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
    CAUSAL: tl.constexpr,
):  # fmt: skip
    """Return where queries begin that see some of the keys, and where those that see all."""
    first = start * 0
    full = start * 0
    if CAUSAL:
        ahead = start + n_q - n_k  # the row that sees the first of the keys
        first = tl.maximum(0, ahead) // BLOCK_Q * BLOCK_Q
        full = tl.maximum(0, tl.minimum(n_q, ahead + BLOCK_K - 1))
        full = tl.cdiv(full, BLOCK_Q) * BLOCK_Q
    return first, full


@triton.jit
def over_queries(
    sum_k, sum_v, k, v, q, d_out, top, due, d_q,
    strides, place, start, n_q, n_k, scale, low, high,
    BLOCK_Q: tl.constexpr, MASKED: tl.constexpr, TMA: tl.constexpr,
):  # fmt: skip
    """Add what the queries from ``low`` to ``high`` of one head give to a block of keys."""
    SIZE: tl.constexpr = k.shape[1]
    keys = start + tl.arange(0, k.shape[0])
    for row in tl.range(low, high, BLOCK_Q):
        rows = tl.multiple_of(row, BLOCK_Q) + tl.arange(0, BLOCK_Q)
        q_block = load(q, strides[0], place, row, n_q, BLOCK_Q, SIZE, TMA)
        d_block = load(
            d_out, strides[3], place, row, n_q, BLOCK_Q, SIZE, TMA
        )  # fmt: skip
        tops = tl.load(top + rows)[None, :]
        dues = tl.load(due + rows)[None, :]
        mask = keys[:, None] < reach(rows, n_q, n_k, MASKED)[None, :]
        weights, d_scores = score_gradients(
            k, q_block, v, d_block, tops, dues, scale, mask, MASKED
        )
        sum_v = multiply(weights.to(v.dtype), d_block, sum_v)
        d_scores = d_scores.to(k.dtype)
        sum_k = multiply(d_scores, q_block, sum_k)
        if d_q is not None:  # a fifth product, to which other programs add
            part = multiply(d_scores.T, k, None) * scale
            at = addresses(d_q, strides[6], place, row, BLOCK_Q, SIZE)
            tl.atomic_add(at, part, sem="relaxed")
    return sum_k, sum_v


@triton.jit
def queries_kernel(
    q, k, v, d_out, top, due, d_q, strides,
    heads, group, n_q, n_k, n_padded, scale, CAUSAL: tl.constexpr,
    SIZE: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
    TMA: tl.constexpr,
):  # fmt: skip
    """Write the gradients of a block of queries."""
    row = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK_Q
    place = (tl.program_id(1) // heads, tl.program_id(1) % heads)
    there = (place[0], place[1] // group)
    rows = row + tl.arange(0, BLOCK_Q)
    q = load(q, strides[0], place, row, n_q, BLOCK_Q, SIZE, TMA)
    d_block = load(d_out, strides[3], place, row, n_q, BLOCK_Q, SIZE, TMA)
    skip = tl.cast(tl.program_id(1), tl.int64) * n_padded
    tops = tl.load(top + skip + rows)[:, None]
    dues = tl.load(due + skip + rows)[:, None]
    seen = reach(rows, n_q, n_k, CAUSAL)
    full = reach(row, n_q, n_k, CAUSAL) // BLOCK_K * BLOCK_K
    end = reach(row + BLOCK_Q - 1, n_q, n_k, CAUSAL)
    total = tl.zeros([BLOCK_Q, SIZE], tl.float32)
    total = over_keys(
        total, q, d_block, tops, dues, k, v, strides,
        there, seen, n_k, scale, 0, full, BLOCK_K, False, TMA,
    )  # fmt: skip
    total = over_keys(
        total, q, d_block, tops, dues, k, v, strides,
        there, seen, n_k, scale, full, end, BLOCK_K, True, TMA,
    )  # fmt: skip
    write(d_q, strides[4], place, row, n_q, total * scale)


@triton.jit
def over_keys(
    total, q, d_out, tops, dues, k, v, strides,
    place, seen, n_k, scale, low, high,
    BLOCK_K: tl.constexpr, MASKED: tl.constexpr, TMA: tl.constexpr,
):  # fmt: skip
    """Add what the keys from ``low`` to ``high`` give to a block of queries."""
    SIZE: tl.constexpr = q.shape[1]
    n = n_k if MASKED else None
    for start in tl.range(low, high, BLOCK_K):
        keys = start + tl.arange(0, BLOCK_K)
        k_block = load(k, strides[1], place, start, n, BLOCK_K, SIZE, TMA)
        v_block = load(v, strides[2], place, start, n, BLOCK_K, SIZE, TMA)
        mask = keys[None, :] < seen[:, None]
        _, d_scores = score_gradients(
            q, k_block, d_out, v_block, tops, dues, scale, mask, MASKED
        )
        total = multiply(d_scores.to(q.dtype), k_block, total)
    return total


@triton.jit
def write(x, strides, place, start, n, block):
    """Store the rows of a block that are before row ``n``."""
    ROWS: tl.constexpr = block.shape[0]
    at = addresses(x, strides, place, start, ROWS, block.shape[1])
    there = (start + tl.arange(0, ROWS) < n)[:, None]
    tl.store(at, block.to(x.dtype.element_ty), mask=there)
