import numpy as np


def local_p_weights(scores, h, W_p, v_p, D):
    """Return the centres (n_queries,), the weights (n_queries, n_keys)."""
    n_keys = scores.shape[1]
    u = np.tanh(h @ W_p.T) @ v_p
    p = n_keys / (1 + np.exp(-u))
    off = np.arange(n_keys) - p[:, None]
    inside = np.abs(off) <= D
    e = np.where(inside, scores, -np.inf)
    exps = np.exp(e - e.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    sigma = D / 2
    return p, weights * np.exp(-(off**2) / (2 * sigma**2))
