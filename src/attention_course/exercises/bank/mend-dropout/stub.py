import numpy as np


def dropped_attention(q, k, v, may, kept, p, training=False):
    """Return the context (n_q, d_v), its weights dropped in training."""
    scores = q @ k.T / np.sqrt(q.shape[-1])
    np.where(may, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    exps = exps * kept / (1 - p)
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total == 0, 1, total)
    return weights @ v
