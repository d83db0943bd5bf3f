# EXERCISE rotary-positions
# FAULT feature i is paired with feature i + d_k/2
# FAULT the offset is ignored
import numpy as np


def rotate_half(x):
    half = x.shape[-1] // 2
    return np.concatenate([-x[..., half:], x[..., :half]], axis=-1)


def rotary_attention(q, k, v, offset=0):
    d = q.shape[-1]
    inv = 1.0 / 10000 ** (np.arange(0, d, 2) / d)

    def rope(x):
        ang = np.outer(np.arange(x.shape[-2]), inv)
        ang = np.concatenate([ang, ang], axis=-1)
        return x * np.cos(ang) + rotate_half(x) * np.sin(ang)

    q, k = rope(q), rope(k)
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(d)
    w = np.exp(scores - scores.max(axis=-1, keepdims=True))
    w = w / w.sum(axis=-1, keepdims=True)
    return k, scores, np.matmul(w, v)
