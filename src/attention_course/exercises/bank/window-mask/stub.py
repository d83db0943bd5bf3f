def long_mask(n_q, n_k, width, first):
    """Return which keys may be seen: booleans (n_q, n_k)."""
    raise NotImplementedError
