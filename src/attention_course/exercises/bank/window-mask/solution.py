import numpy as np


def long_mask(n_q, n_k, width, first):
    """Return which keys may be seen: booleans (n_q, n_k)."""
    key = np.arange(n_k)
    place = np.arange(n_q)[:, None] + (n_k - n_q)
    past = key <= place
    near = key > place - width
    kept = key < first
    return past & (near | kept)
