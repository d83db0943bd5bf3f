def attend_blockwise(q, blocks):
    """Return context (n_queries, d_v), log of each sum of exponentials."""
    raise NotImplementedError
