import numpy as np


def dropped_attention(q, k, v, may, kept, p, training=False):
    """Return the context (n_q, d_v), its weights dropped in training."""
    scores = q @ k.T / np.sqrt(q.shape[-1])
    scores = np.where(may, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    if training:
        weights = weights * kept / (1 - p)
    return weights @ v
