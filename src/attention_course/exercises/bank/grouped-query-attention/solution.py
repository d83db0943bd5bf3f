import numpy as np


def grouped_query_attention(q, k, v, mask=None):
    """Return context (..., h, n_q, d_v), weights (..., h, n_q, n_k)."""
    n_heads, n_groups = q.shape[-3], k.shape[-3]
    share = n_heads // n_groups
    k = np.repeat(k, share, axis=-3)
    v = np.repeat(v, share, axis=-3)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(top > -np.inf, top, 0.0))
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total > 0, total, 1.0)
    return weights @ v, weights
