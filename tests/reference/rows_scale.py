"""Attention in parts, windows, blocks, latents and states, and in few bits, a row each."""

import itertools
from functools import partial

import numpy as np
import torch
from reference.rows_attention import T, attention_by_torch, softmax_of_torch
from rows import by_torch, draws, given, row

from attention_course import reference as r

# Attention in parts and in blocks, beside one softmax over all keys.


def log_sums(q, k, scale=None, mask=None):
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    scores = torch.from_numpy(scale * q @ T(k, -1, -2))
    if mask is not None:
        scores = scores.masked_fill(~torch.from_numpy(mask), -np.inf)
    return scores.logsumexp(dim=-1)


def whole(q, k, v, scale=None, mask=None):
    return attention_by_torch(q, k, v, mask, scale)[0], log_sums(q, k, scale, mask)


def whole_in_blocks(q, k, v, block, scale=None, mask=None):
    return whole(q, k, v, scale, mask)


def merged(q, k, v, edges, mask=None, turned=1):
    """Attend to each part of the keys by itself, and merge."""
    found = []
    for cut in itertools.pairwise((0, *edges, k.shape[-2])):
        seen = None if mask is None else mask[..., slice(*cut)]
        found.append(
            r.partial_attention(q, k[..., slice(*cut), :], v[..., slice(*cut), :], None, seen)
        )
    contexts, logs = zip(*found[::turned], strict=True)
    return r.merge_partials(np.stack(contexts), np.stack(logs))


def uncut(q, k, v, edges, mask=None):
    return whole(q, k, v, None, mask)


def qkv(n_q=5, n_k=11, seed=0, size=1.0):
    q, k, v = draws(seed + n_q + n_k, (2, 3, n_q, 4), (2, 3, n_k, 4), (2, 3, n_k, 6))
    return [size * q, size * k, v]


SCATTERED = np.random.RandomState(1).random_sample((2, 3, 5, 11)) < 0.4
SCATTERED[0, :, 2] = False  # one query sees nothing, another only the last key
SCATTERED[1, :, 3] = np.arange(11) == 10
MASKS = (None, r.causal_mask(5, 11) & np.ones((2, 3, 1, 1), bool), SCATTERED)
LOW = [30 + abs(qkv()[0]), -30 - 0.01 * abs(qkv()[1]), qkv()[2]]  # all scores below -1800


def by_one_mask(q, k, v, cu, cu_k=None, causal=False, scale=None):
    """Attend to all texts at once, with what lies in another text hidden."""
    text, left = [], []  # of each token, and how many of its text come behind it
    for edges in (cu, cu if cu_k is None else cu_k):
        text.append(np.repeat(np.arange(len(edges) - 1), np.diff(edges)))
        left.append(edges[1:][text[-1]] - np.arange(edges[-1]))
    mask = text[0][:, None] == text[1]
    mask &= (left[0][:, None] <= left[1]) | (not causal)
    return attention_by_torch(q, k, v, mask & np.ones((2, 3, 1, 1), bool), scale)[0]


def by_padding(q, k, v, cu, cu_k=None, causal=False, scale=None):
    """Pad every text with numbers that must not count, attend, and take the padding out."""
    cu_k = cu if cu_k is None else cu_k
    longest, most, found = np.diff(cu).max(), np.diff(cu_k).max(), []
    for (a, b), (c, d) in zip(itertools.pairwise(cu), itertools.pairwise(cu_k), strict=True):
        cuts = (q[..., a:b, :], longest), (k[..., c:d, :], most), (v[..., c:d, :], most)
        wide = [
            np.pad(x, [(0, 0), (0, 0), (0, n - x.shape[-2]), (0, 0)], constant_values=9)
            for x, n in cuts
        ]
        mask = np.arange(most) < d - c
        if causal:
            mask = mask & (np.arange(most) <= np.arange(longest)[:, None] + (d - c) - (b - a))
        mask = mask & np.ones((2, 3, longest, 1), bool)
        found.append(np.asarray(attention_by_torch(*wide, mask, scale)[0])[..., : b - a, :])
    return np.concatenate(found, axis=-2)


def texts(lengths, keys=None, *rest):
    cu, cu_k = (None if x is None else np.cumsum([0, *x]) for x in (lengths, keys))
    return given(*qkv(cu[-1], (cu if cu_k is None else cu_k)[-1], 7), cu, cu_k, *rest)


TEXTS = [texts(lengths, keys, causal) for causal in (False, True) for lengths, keys in (
    ((3, 1, 5), None), ((2, 0, 4), None), ((7,), None), ((1, 3, 2), (4, 1, 0)),
)]  # fmt: skip
TEXTS += [texts((2, 3), None, True, 0.3)]
PARTS = [given(*qkv(size=size), None, mask) for size in (1.0, 30.0) for mask in MASKS]
BLOCKS = [given(*qkv(size=30.0), block, None, mask) for block in (1, 4, 50) for mask in MASKS]
BLOCKS += [given(*qkv(), 4, 0.3), given(*LOW, 4), given(*qkv(n_k=0), 3)]
CUTS = [given(*qkv(size=size), edges, mask)
        for size in (1.0, 30.0) for mask in MASKS
        for edges in ((), (4,), (1, 5, 6), (0, 7, 7))]  # fmt: skip

# Windows, blocks and linear attention, beside a mask or the kernel.


def window_by_mask(q, k, v, width, scale=None):
    mask = r.window_mask(width, q.shape[-2], k.shape[-2])
    return attention_by_torch(q, k, v, mask, scale)[0]


def blocks_by_mask(q, k, v, blocks, size, causal=False, scale=None):
    n_q, n_k = q.shape[-2], k.shape[-2]
    mask = np.array([[blocks[i // size, j // size] for j in range(n_k)] for i in range(n_q)])
    mask = mask & r.causal_mask(n_q, n_k) if causal else mask
    return attention_by_torch(q, k, v, mask, scale)[0]


def linear_by_pairs(q, k, v, causal=False):
    products = np.exp(r.kernel_scores(q, k))
    seen = products * (r.causal_mask(q.shape[-2], k.shape[-2]) if causal else 1)
    return seen @ v / seen.sum(-1, keepdims=True)


SIZES = [(5, 7, 3), (7, 7, 7), (1, 9, 4), (13, 13, 1), (3, 5, 20), (16, 16, 4), (6, 6, 5)]
WINDOWS = [given(*qkv(n, m), width) for n, m, width in SIZES] + [given(*qkv(5, 7), 3, 0.3)]


def pattern(n, size):
    m = -(-n // size)
    return np.random.RandomState(n).random_sample((m, m)) < 0.5


SPARSE = [given(*qkv(n, n), pattern(n, size), size, causal, scale)
          for n, size, scale in ((13, 4, None), (12, 3, 0.3), (5, 8, None))
          for causal in (False, True)]  # fmt: skip

# Latents: each key and value made by itself, a head, a query and a key at a time.


def latents_by_loops(q, q_turned, c, k_turned, W_k, W_v, mask=None, width=None, beside=True):
    heads, n_q, n_k = *q.shape[:2], len(c)
    contexts, weights = np.zeros((heads, n_q, W_v.shape[-1])), np.zeros((heads, n_q, n_k))
    width = width or q.shape[-1] + q_turned.shape[-1]
    for h, i in np.ndindex(heads, n_q):
        scores = np.array([q[h, i] @ (c[j] @ W_k[h]) for j in range(n_k)])
        scores += (k_turned @ q_turned[h, i]) * beside
        weights[h, i] = r.softmax(scores / width**0.5, mask=None if mask is None else mask[i])
        contexts[h, i] = sum(weights[h, i, j] * (c[j] @ W_v[h]) for j in range(n_k))
    return contexts, weights


LATENTS = [
    given(*draws(n, (3, 5, 4), (3, 5, 2), (7, 6), (7, 2), (3, 6, 4), (3, 6, 8)), mask)
    for n, mask in ((0, None), (1, r.causal_mask(5, 7)))
]

# Chosen blocks: each query collects its summaries, its blocks and its window.


def chosen_by_loops(q, k, v, gates, pool, chosen, width):
    size, past = len(pool), k.shape[-2] - q.shape[-2]
    found = np.zeros((*q.shape[:-1], v.shape[-1]))

    def mix(query, keys, values):
        return r.softmax(np.array([query @ key for key in keys]) / len(query) ** 0.5) @ values

    for b, row_ in np.ndindex(q.shape[:2]):
        i, query = past + row_, q[b, row_]
        cut = [slice(m * size, (m + 1) * size) for m in range(i // size)]
        short_k, short_v = ([pool @ x[b, part] for part in cut] for x in (k, v))
        scores = [query @ key for key in short_k]
        order = sorted(range(i // size), key=lambda m, scores=scores: (-scores[m], m))
        blocks = {i // size, *order[: chosen - 1]}
        full = [j for j in range(i + 1) if j // size in blocks]
        near = [j for j in range(i + 1) if j > i - width]
        ways = [mix(query, short_k, short_v)] if cut else [0.0]
        ways += [mix(query, k[b, seen], v[b, seen]) for seen in (full, near)]
        found[b, row_] = sum(g * way for g, way in zip(gates[b, row_], ways, strict=True))
    return found


def chosen_given(n_q, n_k, size, *rest):
    q, k, v, gates, pool = draws(n_k, (2, n_q, 4), (2, n_k, 4), (2, n_k, 3), (2, n_q, 3), size)
    return given(q, k, v, gates, pool, *rest)


CHOSEN = [chosen_given(*sizes) for sizes in (
    (9, 14, 4, 2, 3), (11, 11, 3, 1, 5), (1, 13, 2, 3, 1), (7, 7, 9, 4, 2), (12, 12, 3, 9, 1),
)]  # fmt: skip


def cache_by_loops(n, windows, numbers, each=2):
    kept = [w is None or i >= n - w for w in windows for i in range(n)]
    return sum(kept) * numbers * each


def reach_by_sets(n, windows):
    seen = [{i} for i in range(n)]
    for w in windows:
        low = [0 if w is None else max(0, i - w + 1) for i in range(n)]
        seen = [set().union(*seen[low[i] : i + 1]) for i in range(n)]
    return np.array([[j in seen[i] for j in range(n)] for i in range(n)])


# The delta rule: rows and steps one by one, with S as a table of plain numbers.


def delta_by_loops(q, k, v, beta, decay, erase=True):
    found = np.zeros((*q.shape[:-1], v.shape[-1]))
    for b in np.ndindex(q.shape[:-2]):
        S = np.zeros((q.shape[-1], v.shape[-1]))
        for t in range(q.shape[-2]):
            for j in range(v.shape[-1]):
                past = [decay[*b, t] * S[i, j] for i in range(len(S))]
                held = sum(k[*b, t, i] * past[i] for i in range(len(S))) if erase else 0.0
                new = beta[*b, t] * (v[*b, t, j] - held)
                for i in range(len(S)):
                    S[i, j] = past[i] + k[*b, t, i] * new
                    found[*b, t, j] += q[*b, t, i] * S[i, j]
    return found


def delta_given(seed, n=11, batch=(2,), *rest):
    q, k, v, beta, decay = draws(
        seed, (*batch, n, 4), (*batch, n, 4), (*batch, n, 3), (*batch, n), (*batch, n)
    )
    k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    return given(q, k, v, 1 / (1 + np.exp(-beta)), 1 / (1 + np.exp(-decay - 1)), *rest)


DELTA = [delta_given(0), delta_given(1, 11, (2,), False), delta_given(2, 5, (2, 3))]
GONE = delta_given(3, 40, ())
GONE.args[4][7:9] = 1e-200  # steps that forget all but nothing: their product is none


def chunked(q, k, v, beta, decay, erase=True, size=32):
    return delta_by_loops(q, k, v, beta, decay, erase)


# Few bits.


def sums_of_torch(x, number_format):
    dtype = getattr(torch, number_format)
    total = torch.zeros(x.shape[:-1], dtype=dtype)
    for column in torch.from_numpy(x).to(dtype).movedim(-1, 0):
        total = total + column
    return total.double()


def sink_by_one_more(x, sink=0.0):
    more = np.concatenate([x, np.full((*x.shape[:-1], 1), sink)], axis=-1)
    return softmax_of_torch(more)[..., :-1]


(ROW,) = draws(1, (3, 7))
ROW[0, 2] = -np.inf
PATTERNS = (np.arange(2**16, dtype=np.uint32)[:, None] << 16) | np.array(
    [0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32
)
SUMS = [
    given(np.round(np.random.RandomState(3).uniform(0, 1, 700) * 64) / 64, "bfloat16"),
    given(np.ones(3000), "float16"),
    given(np.ones((2, 300)), "bfloat16"),
]

ROWS = [
    row(
        *(r.partial_attention, whole), atol=1e-11,
        draws=[*PARTS, given(*qkv(), 0.3), given(*qkv(n_k=0))],
    ),
    row(
        *(r.attention_in_blocks, whole_in_blocks), draws=BLOCKS, atol=1e-9,
    ),
    row(
        *(merged, uncut, partial(merged, turned=-1)), draws=CUTS, atol=1e-11,
        part="merge_partials of parts",
    ),
    row(r.varlen_attention, by_one_mask, by_padding, draws=TEXTS, batch=3),
    row(
        *(r.sliding_window_attention, window_by_mask), draws=WINDOWS, batch=3,
    ),
    row(
        *(r.block_sparse_attention, blocks_by_mask), draws=SPARSE,
    ),
    row(
        *(r.linear_attention, linear_by_pairs), batch=3,
        draws=[given(*qkv(n, m), causal) for n, m, _ in SIZES for causal in (False, True)],
    ),
    row(*(r.latent_attention, latents_by_loops), draws=LATENTS, batch=4),
    row(
        *(r.absorbed_latent_attention, latents_by_loops), draws=LATENTS, batch=4,
    ),
    row(
        *(r.native_sparse_attention, chosen_by_loops), draws=CHOSEN,
    ),
    row(
        *(r.stack_cache_bytes, cache_by_loops),
        draws=[given(n, windows, 6, 2) for n in (1, 5, 9)
               for windows in ([4], [None], [4, None, 7], [2, 2, 2])],
    ),
    row(
        *(r.stack_reach, reach_by_sets),
        draws=[given(9, windows) for windows in ([3], [3, 2], [None, 2], [2, None], [2, 3, 4])],
    ),
    row(
        r.receptive_field, lambda mask, layers: r.stack_reach(len(mask), [4] * layers),
        draws=[given(r.window_mask(4, 20), layers) for layers in (1, 2, 3, 5)],
    ),
    row(*(r.gated_delta_rule, delta_by_loops), draws=DELTA),
    row(
        *(r.gated_delta_in_chunks, chunked),
        draws=[*DELTA, *(delta_given(3, 11, (2,), True, size) for size in (1, 3, 4, 11, 32)),
               delta_given(4, 300, ()), GONE],
    ),
    row(
        r.rms_norm, lambda x, gain, eps=1e-6: np.array(
            [gain * v / (sum(a * a for a in v) / len(v) + eps) ** 0.5 for v in x]),
        draws=[given(*draws(8, (5, 6), 6)), given(*draws(8, (5, 6), 6), 0.5)],
    ),
    row(
        r.soft_cap, lambda x, cap: cap * (1 - 2 / (np.exp(2 * x / cap) + 1)),
        draws=[given(3 * draws(9, 40)[0], 5.0), given(0.01 * draws(9, 40)[0], 50.0)],
    ),
    row(
        r.to_bfloat16, by_torch(lambda x: x.bfloat16().float()),
        draws=[given(PATTERNS.view(np.float32)), given(np.array(257.0))],
    ),
    row(
        r.log_sum_exp, by_torch(lambda x: x.logsumexp(-1)),
        draws=[given(ROW + shift) for shift in (-1000.0, 0.0, 1000.0)]
        + [given(np.array([[-np.inf, -np.inf], [0.0, 0.0]]))],
    ),
    row(
        *(r.softmax_with_sink, sink_by_one_more),
        draws=[given(ROW - shift, sink) for shift, sink in ((0, -3.0), (0, 700.0), (800, 0.0))]
        + [given(ROW), given(np.full((2, 3), -np.inf))],
    ),
    row(
        *(r.sum_one_by_one, sums_of_torch), draws=SUMS,
    ),
]  # fmt: skip
