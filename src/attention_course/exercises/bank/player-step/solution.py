import numpy as np


def player_step(x, k, v, W_q, W_o, mask, moved, silent):
    """Return what is found (b, d) and the weights (b, h, n)."""
    b, h, n, d_k = k.shape
    q = (x @ W_q).reshape(b, h, d_k)
    scores = np.einsum("bhc,bhjc->bhj", q, k) / np.sqrt(d_k)
    scores = np.where(mask[:, None], scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    exps = np.exp(scores - np.where(top > -np.inf, top, 0.0))
    total = exps.sum(-1, keepdims=True)
    weights = exps / np.where(total > 0, total, 1.0)
    there = np.arange(n) == moved[:, None]
    weights = np.where(moved[:, None, None] < 0, weights, there[:, None])
    context = np.einsum("bhj,bhjc->bhc", weights, v)
    context = np.where(silent[:, None], 0.0, context)
    return context.reshape(b, -1) @ W_o, weights
