import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    """Return the contexts (..., n, d_v) and the weights (..., n, n)."""
    q = X @ W_q
    k = X @ W_k
    v = X @ W_v
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(W_q.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v, weights
