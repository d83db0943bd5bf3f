def cosine_attention(q, k, v, beta):
    """Return the contexts (n_q, d_v) and the weights (n_q, n_k); beta: (n_q,)."""
    raise NotImplementedError
