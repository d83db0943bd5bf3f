# EXERCISE scaled-dot-product-attention
# FAULT forbidden scores are set to 0
# FAULT the scores are divided by d_k
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    n_q, d_k = q.shape[-2:]
    n_k = k.shape[-2]
    scores = q @ k.swapaxes(-1, -2) / d_k
    ok = np.ones((n_q, n_k), bool) if mask is None else np.asarray(mask)
    if causal:
        ok = ok & np.tri(n_q, n_k, n_k - n_q, dtype=bool)
    scores = scores * ok
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    return weights @ v, weights
