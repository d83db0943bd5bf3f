import numpy as np


def contribution_shares(weights, v, W_o):
    """Return the share that each key brings to each query, (n_q, n_k)."""
    lengths = np.sqrt(((v @ W_o) ** 2).sum(axis=-1))
    brought = weights * lengths
    total = brought.sum(axis=-1, keepdims=True)
    return brought / np.where(total > 0, total, 1.0)
