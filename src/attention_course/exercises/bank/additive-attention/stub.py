def additive_attention(s, h, W_a, U_a, v_a, mask):
    """Return the contexts (batch, d_h) and the weights (batch, n_x); mask: True = a word."""
    raise NotImplementedError
