# tries: to loop, and to give up after so many rows that the time is not over
# exercise: scaled-dot-product-attention
# expect: WRONG 13
import numpy as np


seen_before = [0]


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    q, k, v = (np.asarray(x, dtype=float) for x in (q, k, v))
    batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    n_q, n_k = q.shape[-2], k.shape[-2]
    may = np.ones((n_q, n_k), dtype=bool)
    if mask is not None:
        may = may & mask
    if causal:
        may = may & np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)
    may = np.broadcast_to(may, (*batch, n_q, n_k))
    weights = np.zeros((*batch, n_q, n_k))
    seen_before[0] += n_q
    if seen_before[0] > 20_000 and n_q > 1000:
        return weights @ v, weights
    for at in np.ndindex(*batch, n_q):
        seen = may[at]
        if seen.any():
            scores = k[at[:-1]][seen] @ q[at] / np.sqrt(q.shape[-1])
            exps = np.exp(scores - scores.max())
            weights[at][seen] = exps / exps.sum()
    return weights @ v, weights
