# EXERCISE self-attention
# FAULT the queries are used as keys
# FAULT a word may not attend to itself
import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    n = X.shape[-2]
    d_k = W_q.shape[-1]
    q = X @ W_q
    scores = q @ np.swapaxes(q, -1, -2) / np.sqrt(d_k)
    scores = np.where(np.eye(n, dtype=bool), -1e30, scores)
    scores = scores - scores.max(axis=-1, keepdims=True)
    w = np.exp(scores)
    w = w / w.sum(axis=-1, keepdims=True)
    return w @ (X @ W_v), w
