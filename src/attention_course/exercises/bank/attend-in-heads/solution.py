import numpy as np


def attend_in_heads(x_q, x_kv, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """Return output (..., n_q, d_out), weights (..., n_heads, n_q, n_k)."""

    def heads(x, W):
        cut = (x @ W).reshape(*x.shape[:-1], n_heads, -1)
        return np.swapaxes(cut, -3, -2)

    q, k, v = heads(x_q, W_q), heads(x_kv, W_k), heads(x_kv, W_v)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    joined = np.swapaxes(weights @ v, -3, -2).reshape(*x_q.shape[:-1], -1)
    return joined @ W_o, weights
