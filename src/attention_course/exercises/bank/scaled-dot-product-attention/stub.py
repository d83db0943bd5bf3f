def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    """Return the context (..., n_q, d_v), the weights (..., n_q, n_k)."""
    raise NotImplementedError
