# EXERCISE scaled-dot-product-attention
# FAULT queries that see nothing come out as NaN
# FAULT a query does not see its own key
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    d = q.shape[-1]
    scores = q @ np.swapaxes(k, -2, -1) * d**-0.5
    nq, nk = scores.shape[-2:]
    if causal:
        i = np.arange(nq).reshape(-1, 1) + nk - nq
        j = np.arange(nk).reshape(1, -1)
        scores = np.where(j < i, scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        scores = scores - scores.max(axis=-1, keepdims=True)
        w = np.exp(scores)
        w = w / w.sum(axis=-1, keepdims=True)
    return w @ v, w
