# tries: to loop in one line, in a comprehension and in a map
# exercise: scaled-dot-product-attention
# expect: WRONG|ERROR 13
import math
import numpy as np


def one(q, k, seen):
    weights = np.zeros(len(k))
    scores = k[seen] @ q / math.sqrt(len(q))
    exps = np.exp(scores - scores.max(initial=-np.inf))
    weights[seen] = exps / exps.sum()
    return weights


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
    places = list(np.ndindex(*batch, n_q))
    rows = list(map(lambda at: one(q[at], k[at[:-1]], may[at]) if may[at].any() else np.zeros(n_k), places))
    weights = np.array(rows).reshape(*batch, n_q, n_k)
    return weights @ v, weights
