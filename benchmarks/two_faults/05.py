# EXERCISE scaled-dot-product-attention
# FAULT nothing divides the scores
# FAULT the table is aligned at the top left
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    s = np.einsum("...id,...jd->...ij", q, k)
    n, m = s.shape[-2], s.shape[-1]
    allowed = np.broadcast_to(True, s.shape)
    if mask is not None:
        allowed = np.logical_and(allowed, mask)
    if causal:
        allowed = np.logical_and(allowed, np.arange(m)[None] <= np.arange(n)[:, None])
    s = np.where(allowed, s, -np.inf)
    biggest = np.max(s, axis=-1, keepdims=True)
    biggest = np.where(np.isfinite(biggest), biggest, 0)
    e = np.exp(s - biggest)
    z = e.sum(-1, keepdims=True)
    w = np.divide(e, z, out=np.zeros_like(e), where=z > 0)
    return np.einsum("...ij,...jv->...iv", w, v), w
