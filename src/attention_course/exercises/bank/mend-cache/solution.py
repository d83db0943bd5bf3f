import numpy as np


def attend_further(q, k, v, past_k, past_v, slope):
    """Return the context (n, d_v), and all keys and values by now."""
    keys = np.concatenate([past_k, k])
    values = np.concatenate([past_v, v])
    place = len(past_k) + np.arange(len(q))[:, None]
    back = place - np.arange(len(keys))
    scores = q @ keys.T / np.sqrt(q.shape[-1]) - slope * back
    scores = np.where(back >= 0, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ values, keys, values
