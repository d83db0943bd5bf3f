def local_p_weights(scores, h, W_p, v_p, D):
    """Return the centres (n_queries,), the weights (n_queries, n_keys)."""
    raise NotImplementedError
