def capped_attention(q, k, v, cap):
    """Return the context (n_q, d_v) and the weights (n_q, n_k)."""
    raise NotImplementedError
