# EXERCISE scaled-dot-product-attention
# FAULT nothing is subtracted before the exponential
# FAULT causal is ignored
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    scores = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    numerators = np.exp(scores)
    if mask is not None:
        numerators = numerators * mask
    sums = numerators.sum(-1, keepdims=True)
    weights = numerators / np.where(sums == 0, 1, sums)
    return weights @ v, weights
