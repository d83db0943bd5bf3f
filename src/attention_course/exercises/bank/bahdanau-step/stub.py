def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    """Return the new state (d,), the context (d_h,), the weights (n_x,)."""
    raise NotImplementedError
