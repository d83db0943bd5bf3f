import numpy as np


def stable_softmax(x, axis=-1, mask=None):
    """Return weights that sum to 1 along axis; mask: True = may attend."""
    if mask is not None:
        x = np.where(mask, x, -np.inf)
    top = x.max(axis=axis, keepdims=True)
    exps = np.exp(x - np.where(np.isneginf(top), 0, top))
    total = exps.sum(axis=axis, keepdims=True)
    return exps / np.where(total == 0, 1, total)
