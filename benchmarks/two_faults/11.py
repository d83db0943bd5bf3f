# EXERCISE stable-softmax
# FAULT the weights are masked after the softmax
# FAULT the largest score of the whole array is taken away
import numpy as np


def stable_softmax(x, axis=-1, mask=None):
    e = np.exp(x - np.max(x))
    p = e / e.sum(axis=axis, keepdims=True)
    if mask is not None:
        p = np.where(mask, p, 0.0)
    return p
