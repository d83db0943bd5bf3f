import numpy as np


def four_steps(q, k, v):
    """Return weights (n_keys,) and context (d_v,) of one query q (d_k,)."""
    scores = k @ q
    exps = np.exp(scores - scores.max())
    weights = exps / exps.sum()
    context = weights @ v
    return weights, context
