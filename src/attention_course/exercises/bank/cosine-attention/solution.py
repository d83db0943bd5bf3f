import numpy as np


def unit(x):
    """Return vectors of length 1; zeros stay zeros."""
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return x / np.where(length == 0, 1, length)


def cosine_attention(q, k, v, beta):
    """Return contexts (n_q, d_v) and weights (n_q, n_k); beta: (n_q,)."""
    scores = beta[:, None] * (unit(q) @ unit(k).T)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ v, weights
