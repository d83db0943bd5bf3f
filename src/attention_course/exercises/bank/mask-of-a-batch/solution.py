import numpy as np


def mask_of_a_batch(lengths, n_q, n_k, window=None):
    """Return which keys may be seen: booleans (batch, 1, n_q, n_k)."""
    key = np.arange(n_k)
    place = np.arange(n_q)[:, None] + (n_k - n_q)
    may = key <= place
    if window is not None:
        may = may & (key > place - window)
    real = key < lengths[:, None, None, None]
    return real & may
