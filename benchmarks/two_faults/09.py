# EXERCISE scaled-dot-product-attention
# FAULT the softmax runs over the queries
# FAULT a query sees one key too many
import numpy as np


def softmax(x, axis):
    top = x.max(axis=axis, keepdims=True)
    top = np.where(top == -np.inf, 0, top)
    e = np.exp(x - top)
    s = e.sum(axis=axis, keepdims=True)
    return e / np.where(s == 0, 1, s)


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    x = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    if mask is not None:
        x = np.where(mask, x, -np.inf)
    if causal:
        n_q, n_k = x.shape[-2:]
        see = np.tril(np.ones((n_q, n_k)), n_k - n_q + 1) == 1
        x = np.where(see, x, -np.inf)
    w = softmax(x, -2)
    return w @ v, w
