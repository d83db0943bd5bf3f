def gate_channels(x, real, W_1, b_1, W_2, b_2):
    """Return maps (n, height, width, channels), gates (n, channels)."""
    raise NotImplementedError
