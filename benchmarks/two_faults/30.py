# EXERCISE online-softmax
# FAULT the scale is missing
# FAULT the log of the sum misses the largest score
import numpy as np


def attend_blockwise(q, blocks):
    m = np.full((len(q), 1), -np.inf)
    l = np.zeros((len(q), 1))
    o = 0
    for k, v in blocks:
        if k.shape[0] == 0:
            continue
        s = q @ k.T
        m_new = np.maximum(m, s.max(axis=1, keepdims=True))
        p = np.exp(s - m_new)
        correction = np.exp(m - m_new)
        l = l * correction + p.sum(axis=1, keepdims=True)
        o = o * correction + p @ v
        m = m_new
    return o / l, np.log(l[:, 0])
