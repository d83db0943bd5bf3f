"""Softmax, scores, masks and attention, a row each."""

import math

import numpy as np
import torch
from rows import by_torch, draws, given, row
from torch.nn import functional

from attention_course import reference as r

T = np.swapaxes
SIZES = ((2, 5, 3, 4, 6), (3, 3, 3, 3, 3), (1, 1, 1, 1, 1), (2, 0, 3, 4, 6))
# batch, queries, keys, d_k, d_v: all different, that no swapped axis hides; all the same, that
# no axis is found by its length; one; and no queries at all.


def share(x, axis=-1):
    return x / x.sum(axis=axis, keepdims=True)


def qkv(sizes, seed=0):
    batch, queries, keys, d_k, d_v = sizes
    return draws(seed, (batch, queries, d_k), (batch, keys, d_k), (batch, keys, d_v))


def mask(shape, seed=0):
    """Draw a mask; its first row sees nothing."""
    seen = np.random.RandomState(seed).random_sample(shape) < 0.6
    seen[..., 0, :] = False
    return seen


# Softmax, its Jacobian and its entropy.


@by_torch
def softmax_of_torch(x, axis=-1, mask=None):
    if mask is None:
        return torch.softmax(x, axis)
    p = torch.softmax(x.masked_fill(~mask, -torch.inf), axis)
    return p.where(mask.broadcast_to(x.shape).any(axis, keepdim=True), 0)


def jacobian_by_autograd(p):
    def of(row):
        x = torch.from_numpy(row).log()
        return torch.autograd.functional.jacobian(lambda s: s.softmax(0), x).numpy()

    return np.array([of(row) for row in p.reshape(-1, p.shape[-1])]).reshape(*p.shape, -1)


def jacobian_by_differences(p, step=1e-6):
    x, eye = np.log(p), np.eye(p.shape[-1])
    columns = [(r.softmax(x + step * e) - r.softmax(x - step * e)) / (2 * step) for e in eye]
    return np.stack(columns, -1)


def entropy_by_loops(p):
    rows = [math.fsum(-x * math.log(x) for x in row if x) for row in p.reshape(-1, p.shape[-1])]
    return np.array(rows).reshape(p.shape[:-1])


X, TABLE = draws(0, (2, 3, 5), (4, 6))
SOFTMAX = [
    given(X),
    given(4 * X, axis=0),
    given(4 * X, 1, mask((2, 3, 5))),
    given(4 * X, mask=mask((3, 5), 1)),
    given(4 * X, mask=np.arange(5) < 3),
    given(TABLE.T, 0, mask((4, 6), 2).T),
    given(np.array([1000.0, 1000.0, -1000.0])),
    given(np.array([[-1e300, -1e300], [1e300, -1e300]])),
    *(given(30 * draws(n, (n, m))[0]) for n, m in ((1, 1), (1, 6), (4, 1), (0, 3))),
]
P = [softmax_of_torch(scale * x).numpy() for x in (X, TABLE) for scale in (1.0, 4.0)]
SURE = np.array([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])

# Scores, each by loops over single numbers.


def each(q, k, score):
    """Call ``score`` on every pair of a query and a key, one at a time."""
    found = np.zeros((*q.shape[:-1], k.shape[-2]))
    for *b, i, j in np.ndindex(found.shape):
        found[*b, i, j] = score(q[*b, i], k[*b, j], (*b, i))
    return found


def dot(a, b, *_):
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def dot_by_loops(q, k):
    return each(q, k, dot)


def scaled_by_loops(q, k, scale=None):
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    return each(q, k, lambda *pair: factor * dot(*pair))


def network(q_i, k_j, W, w_v):
    """One network looks at a query and a key joined."""
    joined = [*q_i, *k_j]
    return dot(w_v, [math.tanh(dot(joined, W[:, c])) for c in range(len(w_v))])


def additive_by_loops(q, k, W_q, W_k, w_v):
    return each(q, k, lambda a, b, _: network(a, b, np.concatenate([W_q, W_k]), w_v))


def general_by_loops(q, k, W):
    return each(q, k, lambda a, b, _: dot([dot(a, column) for column in W.T], b))


def location_by_loops(q, k, W):
    places = [W[:, j] for j in range(min(k.shape[-2], W.shape[1]))]
    scores = [np.sum(q * place, -1) for place in places]
    scores += [np.full(q.shape[:-1], -np.inf)] * (k.shape[-2] - len(places))
    return np.stack(scores, -1)


def cosine_by_loops(q, k, beta=1.0):
    beta = np.broadcast_to(beta, q.shape[:-1])

    def score(a, b, at):
        lengths = math.hypot(*a) * math.hypot(*b)
        return beta[at] * dot(a, b) / lengths if lengths else 0.0

    return each(q, k, score)


def phi(x):
    return [a + 1 if a > 0 else math.exp(a) for a in x]


def kernel_by_loops(q, k):
    return each(q, k, lambda a, b, _: math.log(dot(phi(a), phi(b))))


def kernel_attention_by_loops(q, k, v):
    return share(each(q, k, lambda a, b, _: dot(phi(a), phi(b)))) @ v


def elu_features(q, k, floor=0.0):
    q, k = (np.where(x > 0, x, np.expm1(np.minimum(x, 0))) + 1 - floor for x in (q, k))
    return np.log(q @ T(k, -1, -2))


def lengths_of(q, k):
    return np.linalg.norm(q, axis=-1)[..., None] * np.linalg.norm(k, axis=-1)[..., None, :]


def halves(q, W):
    return W[: q.shape[-1]], W[q.shape[-1] :]


def pairs(q, k, W_q, W_k):
    return (q @ W_q)[..., :, None, :], (k @ W_k)[..., None, :, :]


QK = [given(*qkv(sizes)[:2]) for sizes in SIZES]
WIDE = [(2, 5, 3, 4, 6, 7), (3,) * 6]  # batch, queries, keys, query width, key width, hidden
ADDITIVE, GENERAL, CONCAT, LOCATION = [], [], [], []
for b, n_q, n_k, d_q, d_key, d_a in WIDE:
    q, k, W_q, W_k, w_v, W = draws(
        1, (b, n_q, d_q), (b, n_k, d_key), (d_q, d_a), (d_key, d_a), d_a, (d_q, d_key)
    )
    ADDITIVE.append(given(q, k, W_q, W_k, w_v))
    GENERAL.append(given(q, k, W))
    CONCAT.append(given(q, k, np.concatenate([W_q, W_k]), w_v))
    LOCATION += [given(q, k, draws(2, (d_q, 9))[0]), given(q, k, W[:, :2])]
Q, K, _ = qkv(SIZES[0])
ZERO = K * (np.arange(3) != 1)[:, None]
BETA = 0.5 + np.arange(10.0).reshape(2, 5)
COSINE = [given(Q, K, 2.5), given(Q, K, BETA), given(Q, K), given(Q, ZERO), *QK[1:]]
KERNEL = [*QK, given(3 * Q, K), given(np.full((1, 2), -60.0), np.zeros((1, 2)))]

# Masks.


def causal_by_loops(n_queries, n_keys=None):
    n_keys = n_queries if n_keys is None else n_keys
    past = n_keys - n_queries
    return np.array([[j <= i + past for j in range(n_keys)] for i in range(n_queries)])


def window_by_loops(width, n_queries, n_keys=None):
    seen = causal_by_loops(n_queries, n_keys)
    for i, j in np.argwhere(seen):
        seen[i, j] = i + seen.shape[1] - n_queries - j < width
    return seen


def padding_by_loops(lengths, n_keys):
    found = np.array([[j < n for j in range(n_keys)] for n in lengths.ravel()])
    return found.reshape(*lengths.shape, n_keys)


CAUSAL = [given(3), given(1), given(2, 5), given(4, 4)]
LENGTHS = [given(np.array(x), 5) for x in ([0, 3, 5], [[1, 2], [4, 0], [0, 5]], 2)]

# Attention and its gradients.


def attention_by_torch(q, k, v, mask=None, scale=None):
    """Torch's own contexts, and weights by its softmax; a row that sees nothing is zeros."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    weights = softmax_of_torch(scale * q @ T(k, -1, -2), mask=mask)
    seen = mask if mask is None else torch.from_numpy(mask)
    tensors = map(torch.from_numpy, (q, k, v))
    context = functional.scaled_dot_product_attention(*tensors, attn_mask=seen, scale=scale)
    return context.where(weights.sum(-1, keepdim=True) > 0, 0), weights


def attention(scores=r.scaled_dot_scores, weights=r.softmax):
    """Put attention together of parts of which one may be wrong."""

    def attend(q, k, v, mask=None, scale=None):
        alpha = weights(scores(q, k, scale), mask=mask)
        return alpha @ v, alpha

    return attend


def attended(before=lambda q, k, v: (q, k, v), seen=lambda mask: mask):
    """Attend after something was done to queries, keys and values, or to the mask."""

    def attend(q, k, v, mask=None, scale=None):
        mask = None if mask is None else seen(mask)
        return r.scaled_dot_product_attention(*before(q, k, v), mask, scale=scale)

    return attend


ATTENTION = [
    *(given(*qkv(sizes)) for sizes in SIZES[:3]),
    given(*qkv(SIZES[0]), scale=0.3),
    given(*qkv(SIZES[0]), mask((2, 5, 3))),
    given(*qkv(SIZES[0]), mask((5, 3), 1), scale=2.0),
    given(np.array([[1e3]]), np.array([[1.0], [-1.0]]), np.array([[2.0], [5.0]])),
]
LOOPS = [given(*(x[0] for x in qkv(sizes))) for sizes in SIZES[:3]] + ATTENTION[-1:]


@by_torch
def query_gradient_by_autograd(q, k, g, scale=None):
    q.requires_grad_()
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    (q @ k.mT * scale).softmax(-1).backward(g)
    return q.grad


@by_torch
def backward_by_autograd(q, k, v, g):
    parts = [x.requires_grad_() for x in (q, k, v)]
    context = functional.scaled_dot_product_attention(q[None], k, v)[0]
    return torch.autograd.grad(context, parts, g)


def scale_of(q, scale):
    return q.shape[-1] ** -0.5 if scale is None else scale


def others_held_still(q, k, g, scale=None):
    p = r.softmax(scale_of(q, scale) * q @ T(k, -1, -2))
    return scale_of(q, scale) * ((p * (1 - p) * g) @ k)


GRADIENT = [given(*draws(11, (b, n, d), (b, m, d), (b, n, m))) for b, n, m, d, _ in SIZES[:3]]
GRADIENT += [given(*GRADIENT[0].args, scale=scale) for scale in (1.0, 2.5)]
BACKWARD = [given(*draws(15, d, (m, d), (m, d_v), d_v)) for _, _, m, d, d_v in SIZES[:3]]
ONE = draws(6, 4, (5, 4), (5, 3))

WRONG_SOFTMAX = {
    "no maximum subtracted": lambda x, axis=-1, mask=None: share(
        np.exp(x) * (True if mask is None else mask), axis
    ),
    "over the first axis": lambda x, axis=-1, mask=None: r.softmax(x, 0, mask),
    "over everything": lambda x, axis=-1, mask=None: np.exp(x) / np.exp(x).sum(),
    "powers of two": lambda x, axis=-1, mask=None: r.softmax(x * np.log(2.0), axis, mask),
    "the lowest wins": lambda x, axis=-1, mask=None: r.softmax(-x, axis, mask),
    "divided by the spread": lambda x, axis=-1, mask=None: r.softmax(
        x / np.maximum(np.ptp(x, axis=axis, keepdims=True), 1e-9), axis, mask
    ),
    "sigmoids": lambda x, axis=-1, mask=None: share(1 + np.tanh(x / 2), axis),
    "masked afterwards": lambda x, axis=-1, mask=None: (
        r.softmax(x, axis) * (True if mask is None else mask)
    ),
    "masked with zero": lambda x, axis=-1, mask=None: r.softmax(
        x if mask is None else np.where(mask, x, 0.0), axis
    ),
    "masked with a large number": lambda x, axis=-1, mask=None: r.softmax(
        x if mask is None else np.where(mask, x, -1e9), axis
    ),
    "a masked row is NaN": lambda x, axis=-1, mask=None: (
        r.softmax(x, axis, mask) / (True if mask is None else mask.any(axis, keepdims=True))
    ),
    "always float64": lambda x, axis=-1, mask=None: r.softmax(x.astype(float), axis, mask),
    "masks in place": lambda x, axis=-1, mask=None: r.softmax(
        x if mask is None else np.subtract(x, np.where(mask, 0, np.inf), out=x), axis
    ),
    "earlier scores favoured": lambda x, axis=-1, mask=None: r.softmax(
        x - 1e-3 * np.arange(x.shape[-1]), axis, mask
    ),
    "not normalised": lambda x, axis=-1, mask=None: np.exp(x - x.max(initial=-1e9)),
}

ROWS = [
    row(
        *(r.softmax, softmax_of_torch),
        draws=SOFTMAX, wrong=WRONG_SOFTMAX, atol=1e-12, formats=True,
    ),
    row(
        *(r.softmax_jacobian, jacobian_by_autograd, jacobian_by_differences),
        draws=[given(p) for p in P], atol=1e-9, formats=True,
        wrong={
            "diagonal forgotten": lambda p: -p[..., :, None] * p[..., None, :],
            "only the diagonal": lambda p: (p * (1 - p))[..., None] * np.eye(p.shape[-1]),
            "plus for minus": lambda p: 2 * p[..., None] * np.eye(p.shape[-1])
            - r.softmax_jacobian(p),
            "product by rows": lambda p: p[..., None] * (np.eye(p.shape[-1]) - p[..., None]),
            "the other sign": lambda p: -r.softmax_jacobian(p),
            "twice": lambda p: 2 * r.softmax_jacobian(p),
            "in float64": lambda p: r.softmax_jacobian(p.astype(float)),
        },
    ),
    row(
        *(r.entropy, entropy_by_loops),
        draws=[given(p) for p in (*P, SURE, np.zeros((2, 3)), np.ones((4, 1)))], formats=True,
        wrong={
            "in bits": lambda p: r.entropy(p) / np.log(2),
            "zero times infinity": lambda p: -(p * np.log(p)).sum(-1),
            "sign forgotten": lambda p: -r.entropy(p),
            "mean for sum": lambda p: r.entropy(p) / p.shape[-1],
            "a small number in the logarithm": lambda p: -(p * np.log(p + 1e-9)).sum(-1),
            "in float64": lambda p: r.entropy(p.astype(float)),
        },
    ),
    row(
        *(r.dot_scores, dot_by_loops), draws=QK, formats=True, batch=2,
        wrong={
            "keys and queries swapped": lambda q, k: k @ T(q, -1, -2),
            "first feature forgotten": lambda q, k: r.dot_scores(q[..., 1:], k[..., 1:])
            if q.shape[-1] > 1 else r.dot_scores(q, k),
            "in float64": lambda q, k: r.dot_scores(q.astype(float), k.astype(float)),
        },
    ),
    row(
        *(r.scaled_dot_scores, scaled_by_loops),
        draws=[*QK, given(Q, K, 0.25), given(Q, K, -1.0), given(Q, K, 0)],
        formats=True, batch=2,
        wrong={
            "root omitted": lambda q, k, scale=None: r.dot_scores(q, k) * (scale or 1),
            "divided by d_k": lambda q, k, scale=None: r.dot_scores(q, k)
            * (scale or 1 / q.shape[-1]),
            "by the root of the keys": lambda q, k, scale=None: r.dot_scores(q, k)
            * (scale or k.shape[-2] ** -0.5),
            "scale divides": lambda q, k, scale=None: r.scaled_dot_scores(
                q, k, scale and 1 / scale
            ),
            "scale ignored": lambda q, k, scale=None: r.scaled_dot_scores(q, k),
            "root as a float64": lambda q, k, scale=None: r.dot_scores(q, k)
            * np.float64(scale_of(q, scale)),
        },
    ),
    row(
        *(r.additive_scores, additive_by_loops), draws=ADDITIVE, formats=True,
        wrong={
            "no tanh": lambda q, k, W_q, W_k, w_v: sum(pairs(q, k, W_q, W_k)) @ w_v,
            "tanh of each": lambda q, k, W_q, W_k, w_v: sum(map(np.tanh, pairs(q, k, W_q, W_k)))
            @ w_v,
            "multiplied inside": lambda q, k, W_q, W_k, w_v: np.tanh(
                np.multiply(*pairs(q, k, W_q, W_k))
            ) @ w_v,
        },
    ),
    row(
        *(r.general_scores, general_by_loops), draws=GENERAL, formats=True,
        wrong={
            "matrix transposed": lambda q, k, W: q @ W.T @ T(k, -1, -2)
            if len(W) == len(W.T) else r.general_scores(q, k, W),
            "scaled too": lambda q, k, W: r.general_scores(q, k, W) / np.sqrt(k.shape[-1]),
        },
    ),
    row(
        r.concat_scores,
        lambda q, k, W, w_v: each(q, k, lambda a, b, _: network(a, b, W, w_v)),
        lambda q, k, W, w_v: r.additive_scores(q, k, *halves(q, W), w_v),
        draws=CONCAT, formats=True,
        wrong={
            "key before query": lambda q, k, W, w_v: r.concat_scores(
                q, k, np.roll(W, q.shape[-1], 0), w_v
            ),
            "no tanh": lambda q, k, W, w_v: sum(pairs(q, k, *halves(q, W))) @ w_v,
            "tanh of the parts": lambda q, k, W, w_v: sum(
                map(np.tanh, pairs(q, k, *halves(q, W)))
            ) @ w_v,
        },
    ),
    row(
        *(r.location_scores, location_by_loops), draws=LOCATION, formats=True,
        wrong={
            "keys read": lambda q, k, W: r.location_scores(q, k, W)
            + k.sum(-1)[..., None, :],
            "last columns": lambda q, k, W: r.location_scores(q, k, W[:, ::-1]),
            "zeros beyond": lambda q, k, W: np.nan_to_num(
                r.location_scores(q, k, W), neginf=0.0
            ),
        },
    ),
    row(
        *(r.cosine_scores, cosine_by_loops), draws=COSINE, formats=True,
        wrong={
            "over one length": lambda q, k, beta=1.0: r.cosine_scores(q, k, beta)
            * np.linalg.norm(q, axis=-1)[..., None],
            "beta divides": lambda q, k, beta=1.0: r.cosine_scores(q, k, 1 / np.asarray(beta)),
            "beta by key": lambda q, k, beta=1.0: r.cosine_scores(q, k)
            * (beta if np.ndim(beta) == 0 else beta[..., None, :3]),
            "a little in the denominator": lambda q, k, beta=1.0: np.asarray(beta)[..., None]
            * (q @ T(k, -1, -2)) / (lengths_of(q, k) + 1e-6),
            "NaN for nothing": lambda q, k, beta=1.0: np.asarray(beta)[..., None]
            * (q @ T(k, -1, -2)) / lengths_of(q, k),
        },
    ),
    row(
        *(r.kernel_scores, kernel_by_loops), draws=KERNEL, formats=True, batch=2,
        wrong={
            "elu plus one as written": elu_features,
            "no plus one": lambda q, k: elu_features(q, k, 1.0),
            "relu features": lambda q, k: np.log(q.clip(0) @ T(k.clip(0), -1, -2)),
            "logarithm forgotten": lambda q, k: np.exp(r.kernel_scores(q, k)),
        },
    ),
    row(
        r.kernel_attention,
        kernel_attention_by_loops,
        lambda q, k, v: r.softmax(r.kernel_scores(q, k)) @ v,
        draws=[given(*qkv(sizes)) for sizes in SIZES], formats=True, batch=3,
        wrong={
            "not normalised": lambda q, k, v: np.exp(r.kernel_scores(q, k)) @ v,
            "one sum for all": lambda q, k, v: np.exp(r.kernel_scores(q, k)) @ v
            / np.exp(r.kernel_scores(q, k)).sum(axis=(-1, -2), keepdims=True),
            "softmax of products": lambda q, k, v: r.softmax(np.exp(r.kernel_scores(q, k))) @ v,
        },
    ),
    row(
        *(r.causal_mask, causal_by_loops), draws=CAUSAL,
        wrong={
            "itself unseen": lambda n, m=None: np.tri(n, m or n, (m or n) - n - 1, bool),
            "top left": lambda n, m=None: np.tri(n, m or n, dtype=bool),
            "the future seen": lambda n, m=None: ~r.causal_mask(n, m),
            "of floats": lambda n, m=None: r.causal_mask(n, m).astype(float),
            "keys needed": lambda n, m=4: r.causal_mask(n, m),
        },
    ),
    row(
        *(r.window_mask, window_by_loops),
        draws=[given(w, 4, 6) for w in (1, 2, 3, 9)] + [given(2, 3), given(7, 3, 7)],
        wrong={
            "one more": lambda w, n, m=None: r.window_mask(w + 1, n, m),
            "the future seen": lambda w, n, m=None: r.window_mask(w, n, m)
            | r.window_mask(w, m or n)[-n:].T[-n:] if (m or n) == n else ~r.causal_mask(n, m),
        },
    ),
    row(
        *(r.padding_mask, padding_by_loops), draws=LENGTHS,
        wrong={
            "one key too many": lambda lengths, n: np.arange(n) <= lengths[..., None],
            "padding in front": lambda lengths, n: r.padding_mask(lengths, n)[..., ::-1],
            "True where padded": lambda lengths, n: ~r.padding_mask(lengths, n),
            "batch flattened": lambda lengths, n: r.padding_mask(lengths.reshape(-1), n),
        },
    ),
    row(
        *(r.scaled_dot_product_attention, attention_by_torch),
        draws=ATTENTION, formats=True, batch=3, atol=1e-12,
        wrong={
            "root omitted": attention(lambda q, k, s: r.dot_scores(q, k) * (s or 1)),
            "scale divides": attention(lambda q, k, s: r.scaled_dot_scores(q, k, s and 1 / s)),
            "scale ignored": attention(lambda q, k, s: r.scaled_dot_scores(q, k)),
            "over the queries": attention(weights=lambda x, mask: r.softmax(x, -2, mask)),
            "masked afterwards": attention(
                weights=lambda x, mask: WRONG_SOFTMAX["masked afterwards"](x, mask=mask)
            ),
            "masked with a large number": attention(
                weights=lambda x, mask: WRONG_SOFTMAX["masked with a large number"](x, -1, mask)
            ),
            "a masked row is NaN": attention(
                weights=lambda x, mask: WRONG_SOFTMAX["a masked row is NaN"](x, -1, mask)
            ),
            "mask inverted": attended(seen=np.logical_not),
            "mask ignored": attended(seen=lambda mask: None),
            "queries averaged": attended(lambda q, k, v: (q + q.mean(-2, keepdims=True), k, v)),
            "values sorted": attended(lambda q, k, v: (q, k, np.sort(v, axis=-2))),
            "values summed": attended(lambda q, k, v: (q, k, v * k.shape[-2])),
            "in float64": attended(lambda q, k, v: (q.astype(float), k, v)),
        },
    ),
    row(
        r.attention_by_loops,
        lambda *x: attention_by_torch(*x)[0],
        lambda *x: r.scaled_dot_product_attention(*x)[0],
        draws=LOOPS, formats=True,
        wrong={
            "without the root": lambda q, k, v: r.attention_by_loops(2 * q, k, v),
            "without the maximum": lambda q, k, v: share(np.exp(r.scaled_dot_scores(q, k))) @ v,
            "in float64": lambda q, k, v: r.attention_by_loops(q.astype(float), k, v),
        },
    ),
    row(
        *(r.query_gradient, query_gradient_by_autograd), draws=GRADIENT, formats=True, batch=3,
        wrong={
            "factor forgotten": lambda q, k, g, scale=None: r.query_gradient(q, k, g, scale)
            / scale_of(q, scale),
            "straight through": lambda q, k, g, scale=None: scale_of(q, scale) * (g @ k),
            "other weights held still": others_held_still,
            "the same scale always": lambda q, k, g, scale=None: r.query_gradient(q, k, g),
            "in float64": lambda q, k, g, scale=None: r.query_gradient(
                q.astype(float), k, g, scale
            ),
        },
    ),
    row(
        *(r.one_query_backward, backward_by_autograd), draws=BACKWARD, formats=True,
        wrong={
            "without the factor": lambda q, k, v, g: (
                r.one_query_backward(q, k, v, g)[0] * len(q) ** 0.5,
                *r.one_query_backward(q, k, v, g)[1:],
            ),
            "in float64": lambda q, k, v, g: r.one_query_backward(q.astype(float), k, v, g),
        },
    ),
    row(r.dot_scores_by_loops, lambda q, k: k @ q, draws=[given(*ONE[:2])]),
    row(
        *(r.weights_by_loops, softmax_of_torch),
        draws=[given(ONE[0]), given(np.array([5000.0, 5000.0, -5000.0]))],
    ),
    row(
        *(r.weighted_sum, lambda weights, v: weights @ v),
        draws=[given(r.softmax(ONE[1] @ ONE[0]), ONE[2])],
    ),
]  # fmt: skip
