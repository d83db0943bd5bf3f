# EXERCISE rotary-positions
# FAULT the values are turned as well
# FAULT the weights are returned in the place of the scores
import numpy as np


def rope(x, first=0):
    pos = np.arange(x.shape[-2]) + first
    d = x.shape[-1]
    out = np.zeros_like(x)
    for p in range(0, d, 2):
        phi = pos / 10000 ** (p / d)
        out[..., p] = x[..., p] * np.cos(phi) - x[..., p + 1] * np.sin(phi)
        out[..., p + 1] = x[..., p] * np.sin(phi) + x[..., p + 1] * np.cos(phi)
    return out


def rotary_attention(q, k, v, offset=0):
    d = q.shape[-1]
    q, k, v = rope(q, offset), rope(k), rope(v)
    scores = q @ np.swapaxes(k, -1, -2) / d**0.5
    w = np.exp(scores - scores.max(-1, keepdims=True))
    w /= w.sum(-1, keepdims=True)
    return k, w, w @ v
