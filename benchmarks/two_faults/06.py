# EXERCISE scaled-dot-product-attention
# FAULT the mask is turned over
# FAULT the weights come first
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    logits = (q / np.sqrt(k.shape[-1])) @ k.swapaxes(-1, -2)
    blocked = np.zeros(logits.shape, dtype=bool)
    if mask is not None:
        blocked = blocked | mask
    if causal:
        late = np.triu(np.ones(logits.shape[-2:], dtype=bool), k=1 + k.shape[-2] - q.shape[-2])
        blocked = blocked | late
    logits = np.where(blocked, -np.inf, logits)
    m = logits.max(-1, keepdims=True)
    m[np.isinf(m)] = 0
    p = np.exp(logits - m)
    total = p.sum(-1, keepdims=True)
    total[total == 0] = 1
    p = p / total
    return p, p @ v
