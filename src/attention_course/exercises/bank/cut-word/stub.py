def cut_word(weights, states, j):
    """Return alignment (n_y,), contexts (n_y, d) and distances (n_y,)."""
    raise NotImplementedError
