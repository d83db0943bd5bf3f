import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    """Return the context (..., n_q, d_v), the weights (..., n_q, n_k)."""
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    n_q, n_k = scores.shape[-2:]
    may = np.ones((n_q, n_k), dtype=bool)
    if mask is not None:
        may = may & mask
    if causal:
        may = may & np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)
    scores = np.where(may, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(top > -np.inf, top, 0.0))
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total > 0, total, 1.0)
    context = weights @ v
    return context, weights
