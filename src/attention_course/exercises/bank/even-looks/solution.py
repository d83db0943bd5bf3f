import numpy as np


def spread_penalty(weights, lengths):
    """Return the penalty of each caption, (n_captions,)."""
    real = np.arange(weights.shape[1]) < lengths[:, None]
    looked = np.where(real[:, :, None], weights, 0.0).sum(axis=1)
    return ((1.0 - looked) ** 2).sum(axis=1)
