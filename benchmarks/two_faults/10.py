# EXERCISE stable-softmax
# FAULT the largest score is not taken away
# FAULT the mask is ignored
import numpy as np


def stable_softmax(x, axis=-1, mask=None):
    powers = np.exp(x)
    return powers / np.sum(powers, axis=axis, keepdims=True)
