"""Positions, self-attention, heads, the block, and pictures, a row each."""

import math
from itertools import permutations

import numpy as np
import torch
from reference.rows_attention import attention_by_torch, qkv, share
from rows import by_torch, draws, given, row
from torch.nn import functional

from attention_course import reference as r
from attention_course.reference.transformer.mask_errors import RULES

# Positions.


def positions_by_formula(n, d):
    table = np.zeros((n, d))
    for t, i in np.ndindex(n, d):
        wave = np.cos if i % 2 else np.sin
        table[t, i] = wave(t / 10000 ** (2 * (i // 2) / d))
    return table


def shift_by_least_squares(k, d):
    """The matrix that moves every row of the table on by ``k``, found from the rows."""
    table = r.sinusoidal_positions(400 + k, d)
    return np.linalg.lstsq(table[:400], table[k:], rcond=None)[0]


def rotate_by_complex(x, start=0, sign=1, base=10000):
    n, d = x.shape
    angles = np.arange(start, start + n)[:, None] / base ** (2 * np.arange(d // 2) / d)
    turned = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(sign * 1j * angles)
    return np.stack([turned.real, turned.imag], -1).reshape(n, d)


def alibi_by_formula(n_queries, n_keys, n_heads, slope=lambda h, n: 2.0 ** (-8 * (h + 1) / n)):
    i, j = np.arange(n_queries)[:, None], np.arange(n_keys)
    return np.stack([-slope(h, n_heads) * np.abs(i - j) for h in range(n_heads)])


def plane_by_loops(rows, columns, d):
    half = d // 2
    down, across = positions_by_formula(rows, half), positions_by_formula(columns, half)
    return np.array(
        [[*down[i // columns], *across[i % columns]] for i in range(rows * columns)]
    )


# Masked and self-attention. ``attend`` makes one of what gives the weights.


def seen(shape, seed):
    return np.random.RandomState(seed).random_sample(shape) < 0.5


MASKED = [
    given(*(x[0] for x in qkv((1, n, m, 4, 6), n)), seen((n, m), n))
    for n, m in ((5, 3), (4, 7), (1, 1))
]
MASKED += [given(*MASKED[0].args[:3], np.arange(5)[:, None] != np.array([1, 1, 1]))]


def projected(x, W_q, W_k, W_v, mask=None):
    return attention_by_torch(x @ W_q, x @ W_k, x @ W_v, mask)


def self_given(seed, n=7, d_k=4, d_v=5, batch=(), mask=None):
    return given(*draws(seed, (*batch, n, 6), (6, d_k), (6, d_k), (6, d_v)), mask)


SELF = [self_given(0), self_given(1, mask=r.causal_mask(7)), self_given(2, 1, 1, 1)]
SELF += [self_given(3, 4, 2, 3, mask=seen((4, 4), 0) & (np.arange(4)[:, None] != 2))]


def by_rule(x, W_q, W_k, W_v, mask, rule):
    """Outputs as torch code writes each rule."""
    scores = (x @ W_q) @ (x @ W_k).mT / 3**0.5
    fill = {"zero": 0.0, "large": -1e9}.get(rule, -torch.inf)
    if rule == "after":
        weights = scores.softmax(-1) * mask
    elif rule in ("right", "inverted"):
        mask = mask if rule == "right" else ~mask
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1) * mask
    else:
        weights = scores.masked_fill(~mask, fill).softmax(-1)
    return weights @ x @ W_v


@by_torch
def reach_by_autograd(x, W_q, W_k, W_v, mask, rule="right"):
    jacobian = torch.autograd.functional.jacobian(
        lambda x: by_rule(x, W_q, W_k, W_v, mask, rule), x
    )
    return jacobian.pow(2).sum((1, 3)).sqrt()


@by_torch
def moved_by_torch(x, W_q, W_k, W_v, mask, token, rule="right"):
    changed = x.clone()
    changed[token] += 1.0
    one, other = (by_rule(y, W_q, W_k, W_v, mask, rule) for y in (x, changed))
    return (other - one).abs().amax(dim=1)


N = 5
FRONT = r.causal_mask(N) & ~r.padding_mask(np.array(2), N)  # two rows see nothing
LAYER = draws(3, (N, 4), (4, 3), (4, 3), (4, 6))
TORCHS = [rule for rule in RULES if rule not in ("half", "infinite")]

# Heads.

HEADS, D_K, D_V = 4, 3, 11


def stacked(kv_heads=HEADS, seed=0, batch=()):
    """Inputs, and projections one head at a time, as the loops want them."""
    return draws(
        seed, (*batch, 5, 6), (*batch, 7, 10), (HEADS, 6, D_K), (kv_heads, 10, D_K),
        (kv_heads, 10, D_V), (HEADS * D_V, 13),
    )  # fmt: skip


def heads_given(kv_heads=HEADS, seed=0, **more):
    x_q, x_kv, *W, W_o = stacked(kv_heads, seed)
    flat = [np.concatenate(w, axis=1) for w in W]
    return given(x_q, x_kv, *flat, W_o, HEADS, kv_heads, **more)


def apart(W, n):
    return np.stack(np.split(W, n, axis=1))


def heads_by_loops(x_q, x_kv, W_q, W_k, W_v, W_o, n, kv, mask=None, keep=None):
    W_o = W_o if keep is None else W_o * np.repeat(keep, D_V)[:, None]
    W = apart(W_q, n), apart(W_k, kv), apart(W_v, kv)
    return r.multi_head_by_loops(x_q, x_kv, *W, W_o, mask)


def heads(x_q, x_kv, W_q, W_k, W_v, W_o, n, kv, mask=None, keep=None, x_v=None):
    """Heads one after the other."""
    x_v = x_kv if x_v is None else x_v
    q = [x_q @ W for W in apart(W_q, n)]
    k = np.repeat([x_kv @ W for W in apart(W_k, kv)], n // kv, axis=0)
    v = np.repeat([x_v @ W for W in apart(W_v, kv)], n // kv, axis=0)
    found = [r.scaled_dot_product_attention(*one, mask) for one in zip(q, k, v, strict=True)]
    keep = np.ones(n, bool) if keep is None else keep
    contexts = [c * on for (c, _), on in zip(found, keep, strict=True)]
    return np.hstack(contexts) @ W_o, np.stack([alpha for _, alpha in found])


def cross_by_matrices(x, memory, W_q, W_k, W_v, W_o, mask=None):
    context, alpha = attention_by_torch(x @ W_q, memory @ W_k, memory @ W_v, mask)
    return np.hstack(context) @ np.concatenate(W_o), alpha


CROSS = draws(0, (5, 6), (7, 4), (3, 6, 2), (3, 4, 2), (3, 4, 8), (3, 8, 6))
MASK = r.causal_mask(5, 7)
KEEP = np.array([True, False, True, False])
MULTI = [heads_given(kv) for kv in (4, 2, 1)]
MULTI += [heads_given(mask=MASK), heads_given(keep=KEEP)]
MULTI += [heads_given(2, 1, mask=seen((5, 7), 3), keep=KEEP)]


# The block.


@by_torch
def norm_of_torch(x, gain, shift, eps=1e-5):
    return functional.layer_norm(x, gain.shape, gain, shift, eps)


@by_torch
def feed_forward_of_torch(x, W_1, b_1, W_2, b_2, act=torch.relu):
    return functional.linear(act(functional.linear(x, W_1.T, b_1)), W_2.T, b_2)


X8, GAIN, SHIFT = draws(0, (5, 8), 8, 8)

# Pictures.


def patches_by_loops(images, side):
    n, height, width = images.shape
    return np.array(
        [
            [
                image[a : a + side, b : b + side].ravel()
                for a in range(0, height, side)
                for b in range(0, width, side)
            ]
            for image in images
        ]
    ).reshape(n, -1, side * side)


def rollout_by_loops(weights):
    """Sum over all ways through the layers, each step half attention, half staying."""
    A, n = weights.mean(axis=1), weights.shape[-1]
    found = np.zeros((n, n))
    for way in np.ndindex(*[n] * (len(A) + 1)):  # from the last layer down
        steps = zip(reversed(range(len(A))), way, way[1:], strict=False)
        found[way[0], way[-1]] += math.prod(
            0.5 * A[layer, i, j] + 0.5 * (i == j) for layer, i, j in steps
        )
    return found


@by_torch
def spatial_of_torch(x, w, b=0.0):
    mask = functional.conv2d(x, w[None, :, None, None]).squeeze(1).add(b).sigmoid()
    return (1 + mask[:, None]) * x, mask


def squeeze_by_loops(x, W_1, b_1, W_2, b_2):
    gates = np.zeros(x.shape[:2])
    for n in range(len(x)):
        means = np.array([channel.mean() for channel in x[n]])
        hidden = np.array([max(0.0, means @ W_1[:, h] + b_1[h]) for h in range(len(b_1))])
        gates[n] = [1 / (1 + math.exp(-(hidden @ W_2[:, c] + b_2[c]))) for c in range(len(b_2))]
    return gates[:, :, None, None] * x, gates


def places_by_loops(x, W_q, W_k, W_v, W_z, way="softmax"):
    rows = x.reshape(*x.shape[:2], -1).swapaxes(1, 2)
    weights = np.zeros((len(x), rows.shape[1], rows.shape[1]))
    for n, i, j in np.ndindex(weights.shape):
        weights[n, i, j] = (rows[n, i] @ W_q) @ (rows[n, j] @ W_k)
    soft = torch.from_numpy(weights).softmax(-1).numpy()
    weights = soft if way == "softmax" else weights / rows.shape[1]
    z = rows + weights @ (rows @ W_v) @ W_z
    return z.swapaxes(1, 2).reshape(x.shape), weights


def cheapest(cost):
    """The cost of the cheapest matching of all that there are."""
    lines = np.arange(len(cost))
    return min(
        cost[lines, list(p)].sum() for p in permutations(range(cost.shape[1]), len(cost))
    )


def total(cost):
    """The cost of what is chosen, and that nothing is chosen twice."""
    chosen = r.match(cost)
    assert len({*chosen.tolist()}) == len(cost)
    return cost[np.arange(len(cost)), chosen].sum()


def pair_costs_by_loops(probabilities, boxes, names, true_boxes):
    found = np.zeros((len(names), len(boxes)))
    for i, j in np.ndindex(found.shape):
        apart_ = sum(abs(a - b) for a, b in zip(boxes[j], true_boxes[i], strict=True))
        found[i, j] = 5 * apart_ - probabilities[j, names[i]]
    return found


def costs(n):
    rng = np.random.RandomState(n)
    shape = rng.randint(1, 5), 6
    # Every other one of whole numbers: many matchings cost the same.
    return given(rng.standard_normal(shape) if n % 2 else 1.0 * rng.randint(0, 4, shape))


IMAGES, MAPS = draws(0, (2, 15, 20), (2, 3, 4, 5))
WEIGHTS = r.softmax(draws(1, (3, 2, 4, 4))[0])
SQUEEZE, PROJECT = draws(2, (3, 6), 6, (6, 3), 3), draws(3, (3, 7), (3, 7), (3, 8), (8, 3))
DRAWN = given(
    share(np.random.RandomState(4).random_sample((5, 6))),
    np.random.RandomState(5).random_sample((5, 4)),
    np.array([3, 0, 3]),
    np.random.RandomState(6).random_sample((3, 4)),
)

ROWS = [
    row(
        *(r.sinusoidal_positions, positions_by_formula),
        draws=[given(50, 8), given(3, 5), given(1, 2)],
    ),
    row(
        *(r.shift_matrix, shift_by_least_squares), draws=[given(k, 6) for k in (0, 1, 7, 40)],
        atol=1e-8,
    ),
    row(
        *(r.rotate_by_loops, rotate_by_complex), draws=[given(X8), given(X8, 3), given(X8, 31)],
    ),
    row(
        *(r.alibi_by_loops, alibi_by_formula),
        draws=[given(4, 6, 2), given(3, 3, 8), given(1, 5, 1)],
    ),
    row(
        r.alibi_slopes, lambda n: np.array([2.0 ** (-8 * (h + 1) / n) for h in range(n)]),
        draws=[given(8), given(1), given(4)],
    ),
    row(
        *(r.plane_positions, plane_by_loops),
        draws=[given(3, 4, 12), given(4, 3, 8), given(1, 2, 4)],
    ),
    row(
        *(r.masked_attention_by_loops, attention_by_torch), draws=MASKED,
    ),
    row(
        r.self_attention, projected, r.self_attention_by_loops, draws=SELF, batch=1,
    ),
    row(
        *(r.input_reach, reach_by_autograd), atol=1e-9,
        draws=[given(*LAYER, mask, rule)
               for mask in (r.causal_mask(N), FRONT) for rule in TORCHS],
    ),
    row(
        *(r.moved_outputs, moved_by_torch),
        draws=[given(*LAYER, mask, at, rule) for mask in (r.causal_mask(N), FRONT)
               for at in (1, N - 1) for rule in TORCHS],
    ),
    row(
        *(r.multi_head_attention, heads_by_loops, heads), draws=MULTI, batch=2,
    ),
    row(
        *(r.multi_head_attention, heads), part="of values apart from the keys",
        draws=[heads_given(2, x_v=draws(9, (7, 10))[0])],
    ),
    row(
        *(r.cross_attention_by_loops, cross_by_matrices),
        draws=[given(*CROSS, mask) for mask in (None, seen((5, 7), 1), MASK)],
    ),
    row(
        r.kv_cache_bytes, lambda n, layers, heads, d_k, d_v=None, each=2:
        n * layers * heads * (d_k + (d_k if d_v is None else d_v)) * each,
        draws=[given(100, 3, h, 8) for h in (1, 2, 8)] + [given(100, 3, 2, 8, 24, 4)],
    ),
    row(
        *(r.layer_norm, norm_of_torch),
        draws=[given(x, GAIN, SHIFT) for x in (X8, 1e-3 * X8, 0 * X8 + 3)]
        + [given(X8, GAIN, SHIFT, 0.3)],
    ),
    row(
        *(r.feed_forward, feed_forward_of_torch),
        draws=[given(X8, *draws(1, (8, 12), 12, (12, 8), 8))],
    ),
    row(
        *(r.patchify, patches_by_loops), draws=[given(IMAGES, side) for side in (5, 1)],
    ),
    row(
        lambda x, s: r.unpatchify(r.patchify(x, s), s, x.shape[1] // s), lambda x, s: x,
        draws=[given(IMAGES, 5)], part="unpatchify",
    ),
    row(
        *(r.attention_rollout, rollout_by_loops), draws=[given(WEIGHTS), given(WEIGHTS[:1])],
    ),
    row(
        *(r.spatial_gate, spatial_of_torch),
        draws=[given(MAPS, *draws(1, 3), 0.7), given(1000 * MAPS, *draws(1, 3))],
    ),
    row(
        *(r.squeeze_and_excitation, squeeze_by_loops), draws=[given(MAPS, *SQUEEZE)],
    ),
    row(
        *(r.non_local, places_by_loops),
        draws=[given(MAPS, *PROJECT, *way) for way in ((), ("dot product",))]
        + [given(100 * MAPS, *PROJECT)],
    ),
    row(
        *(total, cheapest), draws=[costs(n) for n in range(40)], part="match",
    ),
    row(
        *(r.matching_cost, pair_costs_by_loops), draws=[DRAWN],
    ),
]  # fmt: skip
