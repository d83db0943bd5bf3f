"""Right answers to scaled dot-product attention that look unusual."""

from attention_course.exercises.source import Odd

SCORES = "scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])"
TRI = "may = may & np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)"
FILL = "scores = np.where(may, scores, -np.inf)"
EXPS = "exps = np.exp(scores - np.where(top > -np.inf, top, 0.0))"
TOTAL = "total = exps.sum(axis=-1, keepdims=True)"
WEIGHTS = "weights = exps / np.where(total > 0, total, 1.0)"
CONTEXT = "context = weights @ v"
RETURN = "return context, weights"
DEF = "def scaled_dot_product_attention("

EINSUM = (
    (SCORES, 'scores = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(q.shape[-1])'),
    (CONTEXT, 'context = np.einsum("...ij,...jc->...ic", weights, v)'),
)

BY_SEQUENCE = """\
import numpy as np


def one_sequence(q, k, v, may):
    e = (q / np.sqrt(q.shape[1])) @ k.T
    e[~may] = -np.inf
    with np.errstate(all="ignore"):
        e = np.exp(e - e.max(axis=1)[:, None])
        e = e / e.sum(axis=1)[:, None]
    e[np.isnan(e)] = 0
    return e @ v, e


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    batch, n_q, n_k = q.shape[:-2], q.shape[-2], k.shape[-2]
    may = np.broadcast_to(True if mask is None else mask, (*batch, n_q, n_k)).copy()
    if causal:
        i, j = np.indices((n_q, n_k))
        may &= j - n_k <= i - n_q
    context, weights = np.empty((*batch, n_q, v.shape[-1])), np.empty(may.shape)
    for b in np.ndindex(*batch):
        context[b], weights[b] = one_sequence(q[b], k[b], v[b], may[b])
    return context, weights
"""

ONLINE = '''\
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False, size=2048):
    """Read the keys in blocks, with a running maximum and a running sum."""
    n_q, n_k = q.shape[-2], k.shape[-2]
    may = np.full((n_q, n_k), True) if mask is None else np.logical_and(mask, np.ones((n_q, 1)))
    if causal:
        may = may & (np.arange(n_k) <= np.arange(n_q)[:, None] + (n_k - n_q))
    top = np.full((*q.shape[:-1], 1), -1e300)
    total, context = np.zeros(top.shape), np.zeros((*q.shape[:-1], v.shape[-1]))
    pieces = []
    for start in range(0, n_k, size):
        block = slice(start, start + size)
        s = q @ np.moveaxis(k[..., block, :], -2, -1) * q.shape[-1] ** -0.5
        s = np.where(may[..., block], s, -np.inf)
        new_top = np.maximum(top, s.max(axis=-1, keepdims=True))
        shrink, e = np.exp(top - new_top), np.exp(s - new_top)
        total = total * shrink + e.sum(axis=-1, keepdims=True)
        context = context * shrink + e @ v[..., block, :]
        pieces.append((e, new_top))
        top = new_top
    weights = np.concatenate([e * np.exp(t - top) for e, t in pieces], axis=-1)
    total[total == 0] = 1
    return context / total, weights / total
'''

MASKED_ARRAY = """\
import numpy.ma as ma
from numpy import matmul, sqrt, tri


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    scores = matmul(q, k.swapaxes(-1, -2)) / sqrt(k.shape[-1])
    rows, columns = scores.shape[-2:]
    hidden = scores != scores
    if mask is not None:
        hidden |= ~mask
    if causal:
        hidden |= tri(rows, columns, columns - rows) == 0
    table = ma.array(scores, mask=hidden)
    powers = ma.exp(table - table.max(axis=-1, keepdims=True))
    weights = (powers / powers.sum(axis=-1, keepdims=True)).filled(0.0)
    return matmul(weights, v), weights
"""

AS_CLASS = '''\
import numpy as np


class Attention:
    """Keeps nothing but its smallest number."""

    def __init__(self, least=-1e30):
        self.least = least

    def allowed(self, n_q, n_k, mask, causal):
        row, column = np.ogrid[:n_q, :n_k]
        may = column - row <= n_k - n_q if causal else column == column + 0 * row
        return may if mask is None else may & mask

    def __call__(self, q, k, v, mask=None, causal=False):
        e = np.matmul(q, k.swapaxes(-2, -1)) / q.shape[-1] ** 0.5
        may = self.allowed(q.shape[-2], k.shape[-2], mask, causal)
        e = np.where(may, e, self.least)
        e = np.exp(e - e.max(-1, keepdims=True)) * may
        alpha = e / (e.sum(-1, keepdims=True) + 1e-12)
        return np.matmul(alpha, v), alpha


scaled_dot_product_attention = Attention()
'''

ODD = (
    Odd("einsum", EINSUM),
    Odd(
        "single precision inside",
        ((SCORES, f"q, k, v = (x.astype(np.float32) for x in (q, k, v))\n    {SCORES}"),),
    ),
    Odd(
        "extended precision inside",
        ((SCORES, f"q, k, v = (x.astype(np.longdouble) for x in (q, k, v))\n    {SCORES}"),),
    ),
    Odd(
        "log-sum-exp",
        (
            (TOTAL, "lse = np.logaddexp.reduce(scores, axis=-1, keepdims=True)"),
            (
                WEIGHTS,
                "weights = np.where(may, np.exp(scores - np.where(lse > -np.inf, lse, 0)), 0)",
            ),
        ),
    ),
    Odd("the mask is added as 0 and -inf", ((FILL, "scores = scores + np.log(may + 0.0)"),)),
    Odd(
        "NaN is taken out at the end",
        (
            (EXPS, "exps = np.exp(scores - top)"),
            (WEIGHTS, "weights = np.nan_to_num(exps / total)"),
        ),
    ),
    Odd(
        "a tiny number in every sum",
        ((WEIGHTS, "weights = exps / (total + 1e-12)"),),
    ),
    Odd(
        "the sum is divided out last",
        (
            (WEIGHTS, "total = np.where(total > 0, total, 1.0)"),
            (CONTEXT, "context = (exps @ v) / total\n    weights = exps / total"),
        ),
    ),
    Odd(
        "the queries are scaled first, on a copy",
        ((SCORES, "scores = (q * q.shape[-1] ** -0.5) @ np.moveaxis(k, -1, -2)"),),
    ),
    Odd(
        "the causal mask from np.tril",
        ((TRI, TRI.replace("np.tri(n_q, n_k,", "np.tril(may,").replace(", dtype=bool", "")),),
    ),
    Odd(
        "results that lie in memory column by column",
        ((RETURN, "return np.asfortranarray(context), np.asfortranarray(weights)"),),
    ),
    Odd(
        "a list of two nested lists", ((RETURN, "return [context.tolist(), weights.tolist()]"),)
    ),
    Odd(
        "all leading axes made one and parted again",
        (
            (
                DEF,
                "def attend(q, k, v, may):\n"
                "    e = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])\n"
                "    e = np.where(may, e, -np.inf)\n"
                "    e = np.exp(e - np.maximum(e.max(2, keepdims=True), -1e300))\n"
                "    total = e.sum(2, keepdims=True)\n"
                "    w = np.divide(e, total, where=may, out=np.zeros(e.shape))\n"
                f"    return w @ v, w\n\n\n{DEF}",
            ),
            (
                FILL,
                "may = np.broadcast_to(may, scores.shape).reshape(-1, n_q, n_k)\n"
                "    flat = (x.reshape(-1, *x.shape[-2:]) for x in (q, k, v))\n"
                "    context, weights = attend(*flat, may)\n"
                "    return context.reshape(*q.shape[:-1], -1), weights.reshape(scores.shape)",
            ),
        ),
    ),
    Odd("a loop over the batch", source=BY_SEQUENCE),
    Odd("online softmax in blocks", source=ONLINE),
    Odd("masked arrays", source=MASKED_ARRAY),
    Odd("a callable object with a finite filling, cleared afterwards", source=AS_CLASS),
)
