def additive_attention(s, h, W_a, U_a, v_a, mask):
    """Return contexts (batch, d_h), weights (batch, n_x); True = a word."""
    raise NotImplementedError
