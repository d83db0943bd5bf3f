# EXERCISE cosine-attention
# FAULT only the keys are brought to length 1
# FAULT the strength is left out
import numpy as np


def cosine_attention(q, k, v, beta):
    norm = np.sqrt((k**2).sum(1, keepdims=True))
    norm[norm == 0] = 1
    s = q @ (k / norm).T
    w = np.exp(s - s.max(1, keepdims=True))
    w = w / w.sum(1, keepdims=True)
    return w @ v, w
