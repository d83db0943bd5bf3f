import numpy as np


def attend_blockwise(q, blocks):
    """Return context (n_queries, d_v), log of each sum of exponentials."""
    n_queries, d_k = q.shape
    m = np.full(n_queries, -np.inf)
    total = np.zeros(n_queries)
    acc = np.zeros((n_queries, blocks[0][1].shape[1]))
    for k, v in blocks:
        if len(k) == 0:
            continue
        scores = q @ k.T / np.sqrt(d_k)
        new_m = np.maximum(m, scores.max(axis=1))
        fade = np.exp(m - new_m)
        exps = np.exp(scores - new_m[:, None])
        total = fade * total + exps.sum(axis=1)
        acc = fade[:, None] * acc + exps @ v
        m = new_m
    return acc / total[:, None], m + np.log(total)
