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


def halves(q, W):
    return W[: q.shape[-1]], W[q.shape[-1] :]


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


GRADIENT = [given(*draws(11, (b, n, d), (b, m, d), (b, n, m))) for b, n, m, d, _ in SIZES[:3]]
GRADIENT += [given(*GRADIENT[0].args, scale=scale) for scale in (1.0, 2.5)]
BACKWARD = [given(*draws(15, d, (m, d), (m, d_v), d_v)) for _, _, m, d, d_v in SIZES[:3]]
ONE = draws(6, 4, (5, 4), (5, 3))


ROWS = [
    row(
        *(r.softmax, softmax_of_torch),
        draws=SOFTMAX, atol=1e-12, formats=True,
    ),
    row(
        *(r.softmax_jacobian, jacobian_by_autograd, jacobian_by_differences),
        draws=[given(p) for p in P], atol=1e-9, formats=True,
    ),
    row(
        *(r.entropy, entropy_by_loops),
        draws=[given(p) for p in (*P, SURE, np.zeros((2, 3)), np.ones((4, 1)))], formats=True,
    ),
    row(
        *(r.dot_scores, dot_by_loops), draws=QK, formats=True, batch=2,
    ),
    row(
        *(r.scaled_dot_scores, scaled_by_loops),
        draws=[*QK, given(Q, K, 0.25), given(Q, K, -1.0), given(Q, K, 0)],
        formats=True, batch=2,
    ),
    row(
        *(r.additive_scores, additive_by_loops), draws=ADDITIVE, formats=True,
    ),
    row(
        *(r.general_scores, general_by_loops), draws=GENERAL, formats=True,
    ),
    row(
        r.concat_scores,
        lambda q, k, W, w_v: each(q, k, lambda a, b, _: network(a, b, W, w_v)),
        lambda q, k, W, w_v: r.additive_scores(q, k, *halves(q, W), w_v),
        draws=CONCAT, formats=True,
    ),
    row(
        *(r.location_scores, location_by_loops), draws=LOCATION, formats=True,
    ),
    row(
        *(r.cosine_scores, cosine_by_loops), draws=COSINE, formats=True,
    ),
    row(
        *(r.kernel_scores, kernel_by_loops), draws=KERNEL, formats=True, batch=2,
    ),
    row(
        r.kernel_attention,
        kernel_attention_by_loops,
        lambda q, k, v: r.softmax(r.kernel_scores(q, k)) @ v,
        draws=[given(*qkv(sizes)) for sizes in SIZES], formats=True, batch=3,
    ),
    row(
        *(r.causal_mask, causal_by_loops), draws=CAUSAL,
    ),
    row(
        *(r.window_mask, window_by_loops),
        draws=[given(w, 4, 6) for w in (1, 2, 3, 9)] + [given(2, 3), given(7, 3, 7)],
    ),
    row(
        *(r.padding_mask, padding_by_loops), draws=LENGTHS,
    ),
    row(
        *(r.scaled_dot_product_attention, attention_by_torch),
        draws=ATTENTION, formats=True, batch=3, atol=1e-12,
    ),
    row(
        r.attention_by_loops,
        lambda *x: attention_by_torch(*x)[0],
        lambda *x: r.scaled_dot_product_attention(*x)[0],
        draws=LOOPS, formats=True,
    ),
    row(
        *(r.query_gradient, query_gradient_by_autograd), draws=GRADIENT, formats=True, batch=3,
    ),
    row(
        *(r.one_query_backward, backward_by_autograd), draws=BACKWARD, formats=True,
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
