def encoder_block(x, p):
    """Return the vectors (..., n, d) that leave the block."""
    raise NotImplementedError
