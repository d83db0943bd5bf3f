import numpy as np


def repaired_additive(q, k, v, W_q, W_k, w_v, mask):
    """Return contexts (batch, n_q, d_v) and weights (batch, n_q, n_k)."""
    hidden = np.tanh((q @ W_q)[:, :, None] + (k @ W_k)[:, None])
    scores = hidden @ w_v
    scores = np.where(mask[:, None], scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total == 0, 1, total)
    return weights @ v, weights
