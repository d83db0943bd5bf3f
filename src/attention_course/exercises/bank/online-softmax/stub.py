def attend_blockwise(q, blocks):
    """Return the context (n_queries, d_v) and the log of each sum of exponentials."""
    raise NotImplementedError
