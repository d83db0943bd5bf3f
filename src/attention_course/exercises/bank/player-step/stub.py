def player_step(x, k, v, W_q, W_o, mask, moved, silent):
    """Return what is found (b, d) and the weights (b, h, n)."""
    raise NotImplementedError
