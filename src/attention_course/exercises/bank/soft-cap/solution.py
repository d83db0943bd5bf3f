import numpy as np


def capped_attention(q, k, v, cap):
    """Return the context (n_q, d_v) and the weights (n_q, n_k)."""
    scores = q @ k.T / np.sqrt(q.shape[-1])
    scores = cap * np.tanh(scores / cap)
    n_q, n_k = scores.shape
    may = np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)
    scores = np.where(may, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v, weights
