def non_local_block(x, W_q, W_k, W_v, W_z, way):
    """Return maps (n, channels, height, width), weights (n, N, N / 4)."""
    raise NotImplementedError
