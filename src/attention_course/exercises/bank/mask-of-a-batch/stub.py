def mask_of_a_batch(lengths, n_q, n_k, window=None):
    """Return which keys may be seen: booleans (batch, 1, n_q, n_k)."""
    raise NotImplementedError
