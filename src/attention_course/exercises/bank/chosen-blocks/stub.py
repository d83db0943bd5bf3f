def chosen_blocks(q, k, size, chosen):
    """Return which blocks each query reads: booleans (n_q, n_blocks)."""
    raise NotImplementedError
