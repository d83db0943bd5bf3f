def attend_rows(
    q, k, v, context, log_sums, q_stride, k_stride, v_stride, n_q, n_k,
    scale, CAUSAL: "tl.constexpr", SIZE: "tl.constexpr",
    BLOCK_Q: "tl.constexpr", BLOCK_K: "tl.constexpr",
):  # fmt: skip
    """Write the contexts and log-sum-exps of one block of queries."""
    rows = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    at = rows[:, None] * q_stride + tl.arange(0, SIZE)[None, :]
    there = (rows < n_q)[:, None]
    q = tl.load(q + at, mask=there, other=0.0)
    cols = tl.arange(0, SIZE)[None, :]
    top = tl.full([BLOCK_Q], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    sums = tl.zeros([BLOCK_Q, SIZE], tl.float32)
    for start in range(0, n_k, BLOCK_K):
        keys = start + tl.arange(0, BLOCK_K)
        across, down = keys[None, :], keys[:, None]
        real = down < n_k
        k_block = tl.load(k + down * k_stride + cols, mask=real, other=0.0)
        v_block = tl.load(v + down * v_stride + cols, mask=real, other=0.0)
        scores = tl.dot(q, k_block.T, input_precision="ieee") * scale
        seen = across < n_k
        if CAUSAL:
            seen = seen & (across <= rows[:, None] + n_k - n_q)
        scores = tl.where(seen, scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        base = tl.where(new_top == float("-inf"), 0.0, new_top)
        fade = tl.exp(top - base)
        weights = tl.exp(scores - base[:, None])
        total = total * fade + tl.sum(weights, 1)
        sums = sums * fade[:, None]
        weights = weights.to(v_block.dtype)
        sums = tl.dot(weights, v_block, sums, input_precision="ieee")
        top = new_top
    total = tl.where(total == 0, 1.0, total)
    tl.store(context + at, sums / total[:, None], mask=there)
    tl.store(log_sums + rows, top + tl.log(total), mask=rows < n_q)
