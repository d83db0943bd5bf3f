def four_steps(q, k, v):
    """Return the weights (n_keys,) and the context (d_v,) of one query q (d_k,)."""
    raise NotImplementedError
