import numpy as np


def rollout_map(scores):
    """Return the class token's map of the patches, (n - 1,)."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    stay = np.eye(scores.shape[-1])
    mixed = stay
    for layer in weights:
        A = layer.max(axis=0)
        A = A / A.sum(axis=-1, keepdims=True)
        mixed = (A + stay) / 2 @ mixed
    seen = mixed[0, 1:]
    return seen / seen.sum()
