import numpy as np


def attend_in_tiles(q, k, v, block_q, block_k, causal):
    """Return contexts, logs of the sums, and the number of tiles."""
    n_q, d_k = q.shape
    n_k = len(k)
    context = np.zeros((n_q, v.shape[1]))
    log_sums = np.full(n_q, -np.inf)
    tiles = 0
    for i in range(0, n_q, block_q):
        rows = np.arange(i, min(i + block_q, n_q))
        m = np.full(len(rows), np.finfo(float).min)
        total = np.zeros(len(rows))
        acc = np.zeros((len(rows), v.shape[1]))
        seen = rows[-1] + 1 + n_k - n_q if causal else n_k
        for j in range(0, seen, block_k):
            cols = np.arange(j, min(j + block_k, n_k))
            tiles += 1
            scores = q[rows] @ k[cols].T / np.sqrt(d_k)
            if causal:
                hidden = cols > rows[:, None] + n_k - n_q
                scores = np.where(hidden, -np.inf, scores)
            new_m = np.maximum(m, scores.max(axis=1))
            fade = np.exp(m - new_m)
            exps = np.exp(scores - new_m[:, None])
            total = fade * total + exps.sum(axis=1)
            acc = fade[:, None] * acc + exps @ v[cols]
            m = new_m
        some = total > 0
        context[rows[some]] = acc[some] / total[some, None]
        log_sums[rows[some]] = m[some] + np.log(total[some])
    return context, log_sums, tiles
