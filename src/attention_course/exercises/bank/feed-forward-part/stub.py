def feed_forward_part(x, W_1, b_1, W_2, b_2):
    """Return the new vectors, of the shape of x (..., n, d_model)."""
    raise NotImplementedError
