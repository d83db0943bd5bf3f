"""For each exercise: the same results from the course or from torch, by other means.

A rival takes the arguments of the exercise's own calls and gives what the solution returns.
"""

import numpy as np
import torch

from attention_course import reference as r
from attention_course.assembled import parts
from attention_course.reference.recurrent.gnmt import GNMTWeights
from attention_course.reference.recurrent.lstmn import LSTMNWeights


def each(function, *arrays):
    """Call for every entry of the first axis, and stack what it returns."""
    found = [function(*one) for one in zip(*arrays, strict=True)]
    if isinstance(found[0], tuple):
        return tuple(map(np.stack, zip(*found, strict=True)))
    return np.stack(found)


def bottom_right(n_q, n_k):
    """Compare places one by one; the package's own mask knows no more queries than keys."""
    return np.array([[j - n_k <= i - n_q for j in range(n_k)] for i in range(n_q)])


def attention(q, k, v, mask=None, causal=False):
    seen = bottom_right(q.shape[-2], k.shape[-2]) if causal else np.True_
    mask = seen if mask is None else seen & mask
    shape = (*q.shape[:-1], k.shape[-2])
    return r.scaled_dot_product_attention(q, k, v, np.broadcast_to(mask, shape).copy())


def by_groups(q, k, v, mask=None):
    n = q.shape[-3] // k.shape[-3]
    return attention(q, np.repeat(k, n, -3), np.repeat(v, n, -3), mask)


def heads(x, W_q, W_k, W_v, W_o, n, causal=False):
    apart = [np.stack(np.split(W, n, axis=1)) for W in (W_q, W_k, W_v)]
    mask = r.causal_mask(len(x)) if causal else None
    return r.multi_head_by_loops(x, x, *apart, W_o, mask)


def in_float16(q, k, v, mask=None):
    return r.scaled_dot_product_attention(*(np.float32(x) for x in (q, k, v)), mask)[0]


def mask_of_a_batch(lengths, n_q, n_k, window=None):
    near = r.causal_mask(n_q, n_k) if window is None else r.window_mask(window, n_q, n_k)
    return r.padding_mask(lengths, n_k)[:, None, None] & near


def window_and_first(n_q, n_k, width, first):
    mask = r.window_mask(width, n_q, n_k)
    mask[:, :first] |= r.causal_mask(n_q, n_k)[:, :first]
    return mask


def without(weights, states, j):
    """Leave the word out of each softmax; the logarithms of weights are scores."""
    with np.errstate(divide="ignore"):
        scores = np.delete(np.log(weights), j, axis=1)
    left = np.isfinite(scores).any(axis=1)
    after = np.zeros((len(weights), states.shape[1]))
    if left.any():
        after[left] = r.softmax(scores[left]) @ np.delete(states, j, axis=0)
    moved = [np.sqrt(sum((a - b) ** 2)) for a, b in zip(after, weights @ states, strict=True)]
    return [row.tolist().index(max(row)) for row in weights], after, moved


def deciding(before, after, own, least):
    """Sort what each cut takes, word by word."""
    found = []
    for y, logarithm in enumerate(before):
        taken = [(logarithm - row[y], x) for x, row in enumerate(after) if not own[x, y]]
        most, x = max(taken, default=(0.0, -1))
        found.append((x, most) if most > least else (-1, 0.0))
    return tuple(map(np.array, zip(*found, strict=True)))


def looking_elsewhere(weights, own, right):
    """Sort the source words of each target word by weight, its own words last among equals."""
    marks = np.zeros(right.shape, dtype=bool)
    asked = [at for at in zip(*np.nonzero(right), strict=True) if own[at].any()]
    for at in asked:
        *_, (_, there) = sorted(zip(weights[at], own[at], strict=True))
        marks[at] = not there
    return marks, len(marks[marks]) / len(asked) if asked else 0.0


def one_step(x, k, v, W_q, W_o, mask, moved, silent):
    """The loop over fewer words, a head at a time; a moved look takes all the weight."""
    found, weights = np.zeros((len(x), W_o.shape[1])), np.zeros(k.shape[:3])
    for b in range(len(x)):
        q, contexts = np.split(x[b] @ W_q, k.shape[1]), []
        for h, one in enumerate(q):
            alpha = r.masked_attention_by_loops(one[None], k[b, h], v[b, h], mask[b : b + 1])[1]
            alpha = np.eye(k.shape[2])[moved[b]] if moved[b] >= 0 else alpha[0]
            weights[b, h] = alpha
            contexts.append((1 - silent[h]) * (alpha @ v[b, h]))
        found[b] = np.concatenate(contexts) @ W_o
    return found, weights


def padded(x, lengths, n):
    parts = []
    for own in np.split(x, n, axis=-1):
        real = np.arange(x.shape[1]) < lengths[:, None]
        mask = np.broadcast_to(real[:, None], (len(x), x.shape[1], x.shape[1])).copy()
        parts.append(r.scaled_dot_product_attention(own, own, own, mask)[0])
    return np.concatenate(parts, axis=-1)


def with_dropout(q, k, v, may, kept, p, training=False):
    _, weights = r.scaled_dot_product_attention(q, k, v, may)
    return (weights * kept / (1 - p) if training else weights) @ v


def further(q, k, v, past_k, past_v, slope):
    k, v = np.concatenate([past_k, k]), np.concatenate([past_v, v])
    i, j = np.arange(len(k) - len(q), len(k))[:, None], np.arange(len(k))
    scores = r.scaled_dot_scores(q, k) - slope * np.abs(i - j)
    return r.softmax(scores, mask=j <= i) @ v, k, v


def backward(q, k, v, g):
    leaves = [torch.from_numpy(x.copy()).requires_grad_() for x in (q, k, v)]
    context = torch.nn.functional.scaled_dot_product_attention(*leaves)
    return [x.numpy() for x in torch.autograd.grad(context, leaves, torch.from_numpy(g))]


def of_blocks(q, blocks):
    pairs = [(k.copy(), v.copy()) for k, v in blocks]  # each comes in the same memory
    k, v = map(np.concatenate, zip(*pairs, strict=True))
    return r.partial_attention(q, k, v)


def in_tiles(q, k, v, block_q, block_k, causal):
    n_q, n_k = len(q), len(k)
    seen = [max(0, i + 1 + n_k - n_q) if causal else n_k for i in range(n_q)]
    rows = [r.partial_attention(q[i : i + 1], k[:n], v[:n]) for i, n in enumerate(seen)]
    ends = [min(i + block_q, n_q) + n_k - n_q for i in range(0, n_q, block_q)]
    tiles = sum(-(-(max(0, end) if causal else n_k) // block_k) for end in ends)
    return *map(np.concatenate, zip(*rows, strict=True)), tiles


def merged(contexts, log_sums):
    if log_sums.ndim > 1:
        return r.merge_partials(contexts, log_sums)
    return [x[0] for x in r.merge_partials(contexts[:, None], log_sums[:, None])]


# Recurrent.


def aligned(s, h, W_a, U_a, v_a, mask):
    def one(s, h, seen):
        weights = np.zeros(len(h))
        if seen.any():
            weights[seen] = r.align_by_loops(s, h[seen], W_a, U_a, v_a)[1]
        return weights[seen] @ h[seen], weights

    return each(one, s, h, mask)


def aligned_queries(q, k, v, W_q, W_k, w_v, mask):
    weights = np.zeros((*q.shape[:2], k.shape[1]))
    for b, i in np.ndindex(q.shape[:2]):
        if mask[b].any():
            seen = k[b, mask[b]]
            weights[b, i, mask[b]] = r.align_by_loops(q[b, i], seen, W_q.T, W_k.T, w_v)[1]
    return weights @ np.where(mask[..., None], v, 0), weights


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    c, weights = r.align_by_loops(s, h, W_a, U_a, v_a)
    return r.gated_step(W @ y + C @ c + b, s, U), c, weights


def encoded(x, lengths, W_x, W_h, b):
    states = np.zeros((*x.shape[:2], len(b)))
    for i, n in enumerate(lengths):
        cell = torch.nn.RNN(x.shape[2], len(b), dtype=torch.double)
        for p, array in zip(cell.parameters(), (W_x, W_h, b, 0 * b), strict=True):
            p.data = torch.from_numpy(array)
        if n:
            states[i, :n] = cell(torch.from_numpy(x[i, :n]))[0].detach().numpy()
    last = [row[n - 1] if n else 0 * row[0] for row, n in zip(states, lengths, strict=True)]
    return states, np.stack(last)


def through_time(x, W, U):
    states, n = r.tanh_recurrence(x, W, U), len(x)
    jacobians = [np.eye(len(W))]
    for t in range(n - 1, 0, -1):
        jacobians.append(jacobians[-1] @ ((1 - states[t] ** 2)[:, None] * W))
    return [np.linalg.norm(J, 2) for J in reversed(jacobians)], jacobians[-1]


def fed(y, states, h, W, U, W_c):
    out, vectors, rows = np.zeros(len(W_c)), [], []
    for y_t in y:
        h = np.tanh(W @ np.concatenate([y_t, out]) + U @ h)
        alpha = r.softmax(r.scores_by_loops(h, states, "dot"))
        out = r.attentional_vector(alpha @ states, h, W_c)
        vectors.append(out)
        rows.append(alpha)
    return vectors, rows


def cosine(q, k, v, beta):
    weights = r.softmax(r.cosine_scores(q, k, beta))
    return weights @ v, weights


def luong(h, states, score, W_a=None, v_a=None):
    """By the scores for matrices: a query and its keys may be of different widths."""
    asked = h[:, None]
    found = {
        "dot": lambda: r.dot_scores(asked, states),
        "general": lambda: r.general_scores(asked, states, W_a),
        "concat": lambda: r.concat_scores(asked, states, W_a.T, v_a),
        "location": lambda: r.location_scores(asked, states, W_a.T),
    }[score]()
    return found[:, 0]


def local_p(scores, h, W_p, v_p, D):
    p = r.predicted_centres(h, W_p, v_p, scores.shape[1])
    return p, r.local_weights_by_loops(scores, p, D)


def estimates(scores, choices, rewards, baseline):
    def one(e, j, rewards, b):
        return r.reinforce_gradients(r.softmax(e), j, rewards, b).mean(axis=0)

    return each(one, scores, choices, rewards, baseline)


def over_the_tape(x, summary, hidden, memory, *arrays):
    weights = LSTMNWeights(*arrays)
    h_mix, c_mix, s = r.lstmn_look(x, summary, list(hidden), list(memory), weights)
    h, c = r.lstm_gates(weights.W @ np.concatenate([h_mix, x]) + weights.b, c_mix)
    return h, c, h_mix, s


def column(y, m, c, annotations, W_a, U_a, v_a, W, b):
    split, zero = W.shape[2] - m.shape[1], np.zeros(W.shape[1])
    stack = [
        (one[:, :split], one[:, split:], bias, zero) for one, bias in zip(W, b, strict=True)
    ]
    eye = np.eye(m.shape[1])
    unused = {"E_x": eye, "E_y": eye, "forward": None, "backward": None, "encoder": ()}
    weights = GNMTWeights(
        W_a=W_a, U_a=U_a, v_a=v_a, decoder=stack, W_o=eye, b_o=np.zeros(len(eye)), **unused
    )
    output, after, p = r.gnmt_step(y, list(zip(m, c, strict=True)), annotations, weights)
    return output, *map(np.stack, zip(*after, strict=True)), p


def rewritten(S, q, k, v, beta, decay):
    """The rule begins with nothing: the memory is what steps of old keys would have written."""
    eye, n = np.eye(len(S)), len(S)
    keys, values = np.concatenate([eye, k]), np.concatenate([S, v])
    one = np.ones(n)
    told = np.concatenate([one, beta]), np.concatenate([one, decay])
    read = r.gated_delta_rule(np.concatenate([eye, q]), keys, values, *told)[n:]
    last = [
        r.gated_delta_rule(np.concatenate([eye, k[:-1], row[None]]), keys, values, *told)[-1]
        for row in eye
    ]
    return read, np.stack(last)


# Positions, blocks, pictures.


def rotary(q, k, v, offset=0):
    def one(q, k, v):
        q, k = r.rotate_by_loops(q, offset), r.rotate_by_loops(k)
        return k, r.scaled_dot_scores(q, k), r.scaled_dot_product_attention(q, k, v)[0]

    flat = [x.reshape(-1, *x.shape[-2:]) for x in (q, k, v)]
    return [x.reshape(*q.shape[:-2], *x.shape[1:]) for x in each(one, *flat)]


def encoder_block(x, p):
    seen = r.layer_norm(x, p["gain_1"], p["shift_1"])
    x = x + r.self_attention(seen, p["W_q"], p["W_k"], p["W_v"])[0] @ p["W_o"]
    arrays = (p[name] for name in ("W_1", "b_1", "W_2", "b_2"))
    return x + r.feed_forward(r.layer_norm(x, p["gain_2"], p["shift_2"]), *arrays)


def rollout(scores):
    largest = r.softmax(scores).max(axis=1, keepdims=True)  # one head of them all
    row = r.attention_rollout(largest / largest.sum(axis=-1, keepdims=True))[0, 1:]
    return row / row.sum()


def gated(x, real, *arrays):
    """Channels with padding: each picture by itself, of its real places alone."""

    def one(x, real):
        seen = x[real].T[None, :, None]  # one row of places
        gates = r.squeeze_and_excitation(seen, *arrays)[1][0]
        return np.where(real[..., None], x, 0) * gates, gates

    return each(one, x, real)


def patches(images, side):
    channels = [r.patchify(x, side) for x in np.moveaxis(images, -1, 0)]
    return np.stack(channels, -1).reshape(*channels[0].shape[:2], -1)


def pair_costs(probabilities, boxes, names, true_boxes):
    cost = r.matching_cost(probabilities, boxes, names.clip(0), true_boxes)
    return np.where(names[:, None] >= 0, cost, 0.0)  # -1: no object


def shares(weights, v, W_o):
    lengths = weights * np.linalg.norm(v @ W_o, axis=-1)
    total = lengths.sum(-1, keepdims=True)
    return np.divide(lengths, total, out=np.zeros_like(lengths), where=total > 0)


def p_values(swings, signs):
    larger = np.ones(swings.shape[1])
    for draw in signs:
        largest = max(abs(np.mean(draw * column)) for column in swings.T)
        larger += [largest >= abs(np.mean(column)) for column in swings.T]
    return larger / (len(signs) + 1)


def layers_between(reads):
    """Powers of the matrix count the ways from input to output through so many layers."""
    ways, found = np.eye(len(reads), dtype=int), np.zeros(reads.shape, int)
    for layers in range(1, len(reads) + 1):
        ways = (reads.astype(int) @ ways > 0).astype(int)
        found[(found == 0) & (ways > 0)] = layers
    return found


def absorbed(q, q_turned, c, k_turned, W_k, W_v):
    queries = q[:, None], q_turned[:, None]
    context, _ = r.absorbed_latent_attention(*queries, c, k_turned, W_k, W_v)
    return np.stack([W @ row for W, row in zip(W_k, q, strict=True)]), context[:, 0]


def cache_bytes(lengths, windows, numbers, each=2):
    return [
        sum(
            r.stack_cache_bytes(int(n), [int(w) or None], int(size), each)
            for w, size in zip(windows, numbers, strict=True)
        )
        for n in lengths
    ]


def capped(q, k, v, cap):
    mask = r.causal_mask(len(q), len(k))
    weights = r.softmax(r.soft_cap(r.scaled_dot_scores(q, k), cap), mask=mask)
    return weights @ v, weights


def output_layer(s, y, context, U_o, V_o, C_o, b_o, W_o, b_w):
    return W_o @ r.maxout(U_o @ s + V_o @ y + C_o @ context + b_o) + b_w


def both_ways(x, *arrays):
    units = (r.GatedUnit(*arrays[i : i + 3]) for i in (0, 3))
    return r.annotate_by_loops(range(len(x)), x, *units)


RIVALS = {
    "absorbed-latents": absorbed,
    "additive-attention": aligned,
    "attend-in-heads": r.multi_head_attention,
    "attention-backward": backward,
    "attention-rollout": rollout,
    "bahdanau-step": bahdanau_step,
    "beam-search": parts.beam,
    "block-that-reads": parts.encoder_block,
    "block-that-writes": lambda y, p, x, *rest: parts.decoder_block(y, p, lambda _: x, *rest),
    "cosine-attention": cosine,
    "cut-word": without,
    "deep-output": output_layer,
    "delta-rule": rewritten,
    "encode-padded": encoded,
    "encoder-block": encoder_block,
    "feed-forward-part": r.feed_forward,
    "find-deciders": deciding,
    "four-steps": lambda q, k, v: (r.softmax(k @ q), r.softmax(k @ q) @ v),
    "gated-unit": r.gated_step,
    "gnmt-column": column,
    "gradient-through-time": through_time,
    "greedy-loop": parts.greedy,
    "grouped-query-attention": by_groups,
    "half-attention": in_float16,
    "image-patches": patches,
    "input-feeding": fed,
    "local-p": local_p,
    "lstmn-step": over_the_tape,
    "luong-scores": luong,
    "many-heads": p_values,
    "mask-of-a-batch": mask_of_a_batch,
    "matching-cost": pair_costs,
    "mend-cache": further,
    "mend-dropout": with_dropout,
    "mend-padding": padded,
    "mixed-cache": cache_bytes,
    "norm-weighted": shares,
    "normalise-vectors": r.layer_norm,
    "online-softmax": of_blocks,
    "player-step": one_step,
    "read-both-ways": both_ways,
    "reinforce-gradient": estimates,
    "repair-additive": aligned_queries,
    "repair-heads": heads,
    "right-elsewhere": looking_elsewhere,
    "rotary-positions": rotary,
    "scaled-dot-product-attention": attention,
    "self-attention": r.self_attention,
    "sequence-for-heads": lambda x: np.stack(np.split(np.concatenate(x), len(x), axis=1)),
    "signal-reach": layers_between,
    "sinusoidal-positions": lambda n, d, offset=0: r.sinusoidal_positions(offset + n, d)[
        offset:
    ],
    "soft-cap": capped,
    "split-kv": merged,
    "squeeze-and-excitation": gated,
    "stable-softmax": r.softmax,
    "tiled-forward": in_tiles,
    "texts-end-to-end": lambda q, k, v, edges: r.varlen_attention(q, k, v, edges, causal=True),
    "window-mask": window_and_first,
}
