import numpy as np


def repair_heads(x, W_q, W_k, W_v, W_o, n_heads, causal=False):
    """Return the output (n, d_model) and the weights (n_heads, n, n)."""
    n = len(x)
    q, k, v = ((x @ W).reshape(n, n_heads, -1) for W in (W_q, W_k, W_v))
    q, k, v = (a.transpose(1, 0, 2) for a in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    joined = (weights @ v).transpose(1, 0, 2).reshape(n, -1)
    return joined @ W_o, weights
