import numpy as np


def attend_texts(q, k, v, cu_seqlens):
    """Return the contexts (n, d_v) of texts that lie end to end."""
    place = np.arange(len(q))
    text = np.searchsorted(cu_seqlens, place, side="right")
    same = text == text[:, None]
    past = place <= place[:, None]
    scores = q @ k.T / np.sqrt(q.shape[-1])
    scores = np.where(same & past, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v
