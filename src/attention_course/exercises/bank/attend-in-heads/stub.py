def attend_in_heads(x_q, x_kv, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """Return output (..., n_q, d_out), weights (..., n_heads, n_q, n_k)."""
    raise NotImplementedError
