import numpy as np


def additive_attention(s, h, W_a, U_a, v_a, mask):
    """Return contexts (batch, d_h), weights (batch, n_x); True = a word."""
    queries, keys = s @ W_a.T, h @ U_a.T
    scores = np.tanh(queries[:, None] + keys) @ v_a
    scores = np.where(mask, scores, -np.inf)
    top = scores.max(axis=1, keepdims=True)
    exps = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = exps.sum(axis=1, keepdims=True)
    weights = exps / np.where(total == 0, 1, total)
    words = np.where(mask[..., None], h, 0)  # 0 times nan is nan
    context = np.einsum("bj,bjd->bd", weights, words)
    return context, weights
