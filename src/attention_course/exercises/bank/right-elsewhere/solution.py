import numpy as np


def right_elsewhere(weights, own, right):
    """Return the words that look elsewhere (n, n_y) and their share."""
    at_own = np.where(own, weights, -1.0).max(axis=-1)
    at_other = np.where(own, -1.0, weights).max(axis=-1)
    asked = right & own.any(axis=-1)
    elsewhere = asked & (at_other > at_own)
    share = elsewhere.sum() / max(1, asked.sum())
    return elsewhere, share
