def contribution_shares(weights, v, W_o):
    """Return the share that each key brings to each query, (n_q, n_k)."""
    raise NotImplementedError
