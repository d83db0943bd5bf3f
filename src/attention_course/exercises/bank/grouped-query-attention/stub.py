def grouped_query_attention(q, k, v, mask=None):
    """Return the context (..., heads, n_q, d_v) and the weights (..., heads, n_q, n_k)."""
    raise NotImplementedError
