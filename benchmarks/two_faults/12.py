# EXERCISE stable-softmax
# FAULT the mask is read the other way round
# FAULT a row in which all is masked gives nan
import numpy as np


def stable_softmax(x, axis=-1, mask=None):
    scores = np.array(x, dtype=float)
    if mask is not None:
        scores[np.broadcast_to(mask, scores.shape)] = -np.inf
    scores -= scores.max(axis=axis, keepdims=True)
    w = np.exp(scores)
    w /= w.sum(axis=axis, keepdims=True)
    return w
