def find_deciders(before, after, own, least):
    """Return the deciders (n_y,) and what their cuts take (n_y,)."""
    raise NotImplementedError
