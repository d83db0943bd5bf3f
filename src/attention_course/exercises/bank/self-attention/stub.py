def self_attention_layer(X, W_q, W_k, W_v):
    """Return the contexts (..., n, d_v) and the weights (..., n, n)."""
    raise NotImplementedError
