import numpy as np


def look_at_latents(q, q_rotated, c, k_rotated, W_k, W_v):
    """Return what is asked, (h, r), and the contexts, (h, d_v)."""
    asked = np.einsum("hd,hrd->hr", q, W_k)
    scores = asked @ c.T + q_rotated @ k_rotated.T
    scores = scores / np.sqrt(q.shape[1] + q_rotated.shape[1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    context = np.einsum("hr,hrv->hv", weights @ c, W_v)
    return asked, context
