def four_steps(q, k, v):
    """Return weights (n_keys,) and context (d_v,) of one query q (d_k,)."""
    raise NotImplementedError
