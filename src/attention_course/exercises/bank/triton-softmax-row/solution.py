def softmax_row(x, y, stride, n, SIZE: "tl.constexpr"):
    """Write the softmax of row tl.program_id(0) of x into y."""
    columns = tl.arange(0, SIZE)
    there = columns < n
    row = tl.program_id(0).to(tl.int64)  # an address may pass 2**31
    at = row * stride + columns
    scores = tl.load(x + at, mask=there, other=float("-inf"))
    weights = tl.exp(scores - tl.max(scores, 0))
    tl.store(y + at, weights / tl.sum(weights, 0), mask=there)
