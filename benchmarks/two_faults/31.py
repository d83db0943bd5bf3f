# EXERCISE online-softmax
# FAULT the summed values are not rescaled
# FAULT the scores are divided by d_k
import numpy as np


def attend_blockwise(q, blocks):
    n, d = q.shape
    top = np.full(n, -np.inf)
    denominator = np.zeros(n)
    numerator = np.zeros((n, blocks[0][1].shape[1]))
    for keys, values in blocks:
        if len(keys):
            s = q @ keys.T / d
            old = top
            top = np.maximum(old, s.max(1))
            e = np.exp(s - top[:, None])
            denominator = denominator * np.exp(old - top) + e.sum(1)
            numerator = numerator + e @ values
    return numerator / denominator[:, None], top + np.log(denominator)
