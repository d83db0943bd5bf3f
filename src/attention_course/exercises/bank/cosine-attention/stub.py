def cosine_attention(q, k, v, beta):
    """Return contexts (n_q, d_v) and weights (n_q, n_k); beta: (n_q,)."""
    raise NotImplementedError
