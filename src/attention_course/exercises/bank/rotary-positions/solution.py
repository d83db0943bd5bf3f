import numpy as np


def turned(x, start):
    t = np.arange(start, start + x.shape[-2])[:, None]
    angles = t / 10000 ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    y = np.empty_like(x)
    y[..., 0::2] = a * cos - b * sin
    y[..., 1::2] = a * sin + b * cos
    return y


def rotary_attention(q, k, v, offset=0):
    """Return the turned keys, the scores and the context."""
    q, k = turned(q, offset), turned(k, 0)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return k, scores, weights @ v
