# EXERCISE cosine-attention
# FAULT the softmax runs over the queries
# FAULT vectors of zeros give nan
import numpy as np


def cosine_attention(q, k, v, beta):
    with np.errstate(all="ignore"):
        dots = np.einsum("id,jd->ij", q, k)
        lengths = np.linalg.norm(q, axis=1)[:, None] * np.linalg.norm(k, axis=1)[None]
        s = dots / lengths * beta[:, None]
        e = np.exp(s - s.max(axis=0))
        w = e / e.sum(axis=0)
    return w @ v, w
