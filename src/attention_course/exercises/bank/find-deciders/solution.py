import numpy as np


def find_deciders(before, after, own, least):
    """Return the deciders (n_y,) and what their cuts take (n_y,)."""
    taken = np.where(own, -np.inf, before - after)
    deciders = taken.argmax(axis=0)
    most = taken.max(axis=0)
    found = most > least
    return np.where(found, deciders, -1), np.where(found, most, 0.0)
