def grouped_query_attention(q, k, v, mask=None):
    """Return context (..., h, n_q, d_v), weights (..., h, n_q, n_k)."""
    raise NotImplementedError
