def feed_inputs(y, states, h_0, W, U, W_c):
    """Return attentional vectors (n_y, d_out) and weights (n_y, n_x)."""
    raise NotImplementedError
