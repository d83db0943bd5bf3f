"""Recurrent memories and models, local and hard attention, a row each."""

import itertools
from functools import partial

import numpy as np
import torch
from rows import by_torch, draws, given, row, slopes
from torch import nn

from attention_course import reference as r
from attention_course.reference.recurrent import bahdanau, gnmt, lstmn, luong


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# Cells, beside torch's.


def in_torch(kind, arrays):
    """Make one of torch's recurrent modules with these arrays."""
    made = kind(arrays[0].shape[1], arrays[1].shape[1], dtype=torch.double)
    for p, array in zip(made.parameters(), arrays, strict=True):
        p.data = torch.from_numpy(array)
    return made.requires_grad_(False)


def gru_of_torch(x, h, *weights):
    cell = in_torch(nn.GRUCell, weights)
    return cell(torch.from_numpy(x)[None], torch.from_numpy(h)[None])[0]


def lstm_of_torch(x, h, c, *weights):
    cell = in_torch(nn.LSTMCell, weights)
    state = torch.from_numpy(h)[None], torch.from_numpy(c)[None]
    return [s[0] for s in cell(torch.from_numpy(x)[None], state)]


def run_of_torch(rows, arrays):
    rows = torch.from_numpy(np.stack(rows))[:, None]
    return [*in_torch(nn.LSTM, arrays)(rows)[0][:, 0].numpy()]


def gated_by_formula(drive, s, U):
    d = len(s)
    z, reset = (sigmoid(drive[k * d :][:d] + U[k * d :][:d] @ s) for k in (1, 2))
    return (1 - z) * s + z * np.tanh(drive[:d] + U[:d] @ (reset * s))


def cell(gates, seed, *states):
    return draws(seed, 5, *states, (gates * 3, 5), (gates * 3, 3), gates * 3, gates * 3)


def shut(gates, at, *states):
    """Draw a cell one of whose gates is wide open, by a drive of a thousand."""
    args = cell(gates, 9, *states)
    args[-2][at * 3 : at * 3 + 3] = 1e3
    return given(*args)


# Memories.


def linear_by_loops(tokens, W, E):
    found = []
    for row_ in tokens:
        terms = [
            np.linalg.matrix_power(W, len(row_) - 1 - t) @ E[x] for t, x in enumerate(row_)
        ]
        found.append(sum(terms))
    return np.array(found)


def tanh_of_torch(x, W, U):
    net = nn.RNN(U.shape[1], len(W), bias=False, dtype=torch.float64)
    net.load_state_dict({"weight_hh_l0": torch.tensor(W), "weight_ih_l0": torch.tensor(U)})
    return net(torch.from_numpy(x))[0]


def inputs_by_autograd(states, g, W, U):
    """The gradient by inputs of zero, whose states these are when their drive is added."""
    W, U, g = map(torch.from_numpy, (W, U, g))
    drive = torch.from_numpy(np.arctanh(states))
    drive[1:] -= torch.from_numpy(states[:-1]) @ W.T
    x = torch.zeros(len(states), U.shape[1], dtype=torch.double, requires_grad=True)
    h, loss = torch.zeros(len(W), dtype=torch.double), 0.0
    for x_t, d_t, g_t in zip(x, drive, g, strict=True):
        h = torch.tanh(W @ h + U @ x_t + d_t)
        loss = loss + g_t @ h
    return torch.autograd.grad(loss, x)


@by_torch
def latch_by_autograd(x):
    first = x[:, 0].tanh().requires_grad_()
    h = first
    for column in x[:, 1:].T:
        h = torch.tanh(2 * h + column)
    return h, torch.autograd.grad(h.sum(), first)[0]


W5, E4, U3 = draws(2, (5, 5), (4, 5), (5, 3))
TOKENS = np.random.RandomState(0).randint(4, size=(3, 7))
STATES = r.tanh_recurrence(draws(3, (6, 3))[0], 0.5 * W5, U3)
NOISY = np.concatenate([3 * np.array([[1], [-1], [1.0]]), 0.3 * draws(4, (3, 4))[0]], 1)

# The fixed vector.


def encode_of_torch(tokens, E, weights):
    cell_, h = in_torch(nn.GRUCell, weights), torch.zeros(1, weights[1].shape[1]).double()
    for token in tokens:
        h = cell_(torch.from_numpy(E[token])[None], h)
    return h[0]


def decode_of_torch(context, targets, E, weights, W_out, b_out):
    net = in_torch(nn.GRU, weights)
    h = net(torch.from_numpy(E[targets])[:, None], torch.from_numpy(context)[None, None])[0]
    return h[:, 0].numpy() @ W_out.T + b_out


GRU = tuple(draws(3, (9, 5), (9, 3), 9, 9))
E7, W_OUT, B_OUT, CONTEXT = draws(4, (7, 5), (7, 3), 7, 3)

# Bahdanau's model.


def align_by_matrices(s, h, W_a, U_a, v_a):
    weights = r.softmax(r.additive_scores(s[None], h, W_a.T, U_a.T, v_a))[0]
    return weights @ h, weights


def annotate_by_formula(tokens, E, forward, backward):
    def read(tokens, unit):
        s, found = np.zeros(unit.U.shape[1]), []
        for token in tokens:
            s = gated_by_formula(unit.W @ E[token] + unit.b, s, unit.U)
            found.append(s)
        return found

    return np.hstack([read(tokens, forward), read(tokens[::-1], backward)[::-1]])


def bahdanau_step(s, y, h, p):
    """One step by matrices."""
    c, weights = align_by_matrices(s, h, p.W_a, p.U_a, p.v_a)
    after = gated_by_formula(p.decoder.W @ y + p.C @ c + p.decoder.b, s, p.decoder.U)
    pairs = p.U_o @ s + p.V_o @ y + p.C_o @ c + p.b_o
    return after, p.W_o @ pairs.reshape(-1, 2).max(axis=1) + p.b_w, weights


def bahdanau_whole(source, target, p):
    h = annotate_by_formula(source, p.E_x, p.forward, p.backward)
    s = np.tanh(p.W_s @ h[0, h.shape[1] // 2 :] + p.b_s)
    logits, rows = [], []
    for token in target:
        s, out, weights = bahdanau_step(s, p.E_y[token], h, p)
        logits.append(out)
        rows.append(weights)
    return np.array(logits), np.array(rows)


BAHDANAU = bahdanau._example()

# Luong's model.


def luong_scores(h, states, score, W_a=None, v_a=None):
    one = h[None]
    return {
        "dot": lambda: r.dot_scores(one, states),
        "general": lambda: r.general_scores(one, states, W_a),
        "concat": lambda: r.concat_scores(one, states, W_a.T, v_a),
        "location": lambda: r.location_scores(one, states, W_a.T),
    }[score]()[0]


def stack_of_torch(tokens, E, layers):
    stack, rows, last = [in_torch(nn.LSTM, arrays) for arrays in layers], E[tokens], []
    rows = torch.from_numpy(rows)[:, None]
    for lstm in stack:
        rows, state = lstm(rows)
        last.append([s[0, 0].numpy() for s in state])
    return rows[:, 0], last


def luong_whole(source, target, p, query="this step"):
    """The order of the paper: state, scores, weights, context, attentional vector, logits."""
    memory, states = r.luong_encode_by_loops(source, p.E_x, p.encoder)
    fed, logits, rows = np.zeros(3), [], []
    for at, token in enumerate(target):
        before = states[-1][0]
        states = luong.step_through(np.concatenate([p.E_y[token], fed]), states, p.decoder)
        h = states[-1][0]
        scores = memory @ (p.W_a.T @ (h if query == "this step" else before))
        far = np.abs(np.arange(len(source)) - at) > (p.D if p.scope == "local-m" else 99)
        a = r.softmax(scores, mask=~far)
        fed = np.tanh(p.W_c @ np.concatenate([a @ memory, h]))
        logits.append(p.W_s @ fed)
        rows.append(a)
    return np.array(logits), np.array(rows)


LUONG = luong._example()
NEAR = LUONG._replace(scope="local-m", D=1)
H3, S3, W33, C56, V5, L43 = draws(5, 3, (6, 3), (3, 3), (5, 6), 5, (4, 3))

# GNMT.

GNMT = gnmt._example()
DEEPER = GNMT._replace(decoder=(*GNMT.decoder, GNMT.decoder[1]))


def gnmt_by_matrices(source, fed, p):
    """Compute the logits again, by matrices."""
    embedded, d = [p.E_x[token] for token in source], p.W_o.shape[1]
    ahead = np.stack(run_of_torch(embedded, p.forward))
    back = np.stack(run_of_torch(embedded[::-1], p.backward))
    keys = np.hstack([ahead, back[::-1]])
    for layer, lstm in enumerate(p.encoder, start=2):
        m = np.stack(run_of_torch(keys, lstm))
        keys = m + keys if layer >= 3 and p.residual else m
    state, logits, looks = [(np.zeros(d), np.zeros(d))] * len(p.decoder), [], []
    for token in fed:
        a, weights = align_by_matrices(state[0][0], keys, p.W_a, p.U_a, p.v_a)
        x, after = p.E_y[token], []
        for layer, lstm in enumerate(p.decoder):
            both = np.concatenate([x, a])
            m, c = map(np.asarray, lstm_of_torch(both, *state[layer], *lstm))
            after.append((m, c))
            x = m + x if layer >= 2 and p.residual else m
        state = after
        looks.append(weights)
        logits.append(p.W_o @ x + p.b_o)
    return np.stack(logits), np.stack(looks)


# The LSTMN.

LSTMN = lstmn._example()
INPUTS = list(draws(7, (6, 3))[0])


def lstmn_by_matrices(inputs, p):
    """Compute the states again, by matrices."""
    h = cell_ = np.zeros(2)
    H, C, weights = [], [], np.zeros((len(inputs), len(inputs)))
    for t, x in enumerate(inputs):
        if H:
            W_q = np.vstack([p.W_x.T, p.W_summary.T])
            query = np.concatenate([x, h])[None]
            s = r.softmax(r.additive_scores(query, np.stack(H), W_q, p.W_h.T, p.v))[0]
            weights[t, :t] = s
            h, cell_ = s @ np.stack(H), s @ np.stack(C)
        i, f, g, o = np.split(p.W @ np.concatenate([h, x]) + p.b, 4)
        C.append(sigmoid(f) * cell_ + sigmoid(i) * np.tanh(g))
        H.append(sigmoid(o) * np.tanh(C[-1]))
    return np.stack(H), weights


# Local attention.


def local_example(seed, n_keys=7, D=2, gaussian=True, length=None):
    """Scores, and centres whose windows' edges stay away from every position."""
    rng = np.random.RandomState(seed)
    p = rng.randint(0, n_keys, 3) + rng.uniform(0.1, 0.9, 3)
    return given(rng.standard_normal((3, n_keys)), p, D, gaussian, length)


LOCAL = [local_example(n, *more) for n, more in enumerate([(), (1, 1), (7, 4, False), (9, 2)])]
LOCAL += [local_example(5, 7, 2, True, 4), local_example(6, 7, 2, False, 4)]
LOCAL += [given(np.ones((2, 4)), np.array([3.0, 6.0]), 2, g, None) for g in (True, False)]
LOCAL += [given(np.zeros((1, 9)), np.array([4.0]), 2, True, None)]


def local(scores, p, D, gaussian=True, length=None):
    """The weights of the reference; ``length`` becomes a mask."""
    mask = None if length is None else np.arange(scores.shape[-1]) < length
    return r.local_weights(scores, p, D, gaussian, mask)


def local_softmax(scores, p, D, gaussian=True, length=None):
    off = np.arange(scores.shape[-1]) - p[:, None]
    real = np.arange(scores.shape[-1]) < (length or scores.shape[-1])
    around = np.exp(-2 * off**2 / D**2) if gaussian else 1  # sigma is D / 2
    return r.softmax(scores, mask=(np.abs(off) <= D) & real) * around


def window_by_loops(p, n_keys, D):
    return np.array([[abs(s - centre) <= D for s in range(n_keys)] for centre in p])


def predicted_by_formula(h, W_p, v_p, n_keys):
    return n_keys * sigmoid(np.array([v_p @ np.tanh(W_p @ row_) for row_ in h]))


def centre_given(seed, D):
    scores, p, D, *_ = local_example(seed, 7, D).args
    return given(scores, p, D, draws(seed, scores.shape)[0])


def centre_slope(scores, p, D, g):
    return slopes(lambda p: (g * r.local_weights(scores, p, D)).sum(), p)


def centre(scores, p, D, g):
    return r.centre_gradient(r.local_weights(scores, p, D), p, D, g)


def predictor_slopes(h, W_p, v_p, n_keys, g):
    given_ = [h, W_p, v_p]

    def loss(i, x):
        return (g * r.predicted_centres(*given_[:i], x, *given_[i + 1 :], n_keys)).sum()

    return [slopes(partial(loss, i), x) for i, x in enumerate(given_)]


# Hard attention: five choices, their rewards, and estimates of a gradient.


def choose_by_loops(weights, uniforms):
    found = np.zeros(uniforms.shape, int)
    for at in np.ndindex(uniforms.shape):
        row_ = weights[at[len(at) - weights.ndim + 1 :]]
        totals = itertools.accumulate(row_)
        past = [j for j, total in enumerate(totals) if total > uniforms[at]]
        found[at] = past[0] if past else max(np.flatnonzero(row_), default=-1)
    return found


E, R_ = np.array([1.0, 0.0, 0.5, -0.5, 0.2]), np.array([-0.5, -3.0, -2.0, -4.0, -2.5])
W = r.softmax(E)


def expected_slope(e, rewards):
    return slopes(lambda e: float(r.softmax(e) @ rewards), e)


def mean_estimate(estimate=r.reinforce_gradients):
    """Return the mean of the estimates of every choice, weighed by its probability."""

    def mean(e, rewards, b):
        each = estimate(r.softmax(e), np.arange(len(e)), rewards, np.full(len(e), b))
        return r.softmax(e) @ each

    return mean


def variance_by_choices(w, rewards, baseline=0.0):
    each = r.reinforce_gradients(w, np.arange(len(w)), rewards, baseline)
    return w @ ((each - w @ each) ** 2).sum(1)


def best_by_search(w, rewards):
    """The variance is a parabola in the baseline: its vertex, from three points."""
    low, middle, high = (variance_by_choices(w, rewards, b) for b in (-1.0, 0.0, 1.0))
    return (low - high) / (2 * (low - 2 * middle + high))


def papers_rule(e, rewards, choices, baseline, reward_weight, entropy_weight):
    each = r.reinforce_gradients(r.softmax(e), choices, rewards[choices], baseline)
    of_entropy = slopes(lambda e: float(r.entropy(r.softmax(e))), e)
    return reward_weight * each.mean(0) + entropy_weight * of_entropy


def baselines_by_loops(rewards, decay=0.9, start=0.0, late=0):
    seen = [start]
    for reward in rewards:
        seen.append(decay * seen[-1] + (1 - decay) * reward)
    return np.array(seen[late : len(rewards) + late])


def relaxed_slope(e, noise, tau, g):
    return slopes(lambda e: float(r.relaxed_choice(e, noise, tau) @ g), e)


NOISE = r.gumbel_noise((5,), np.random.RandomState(4))
UNIFORMS = np.random.RandomState(1).random_sample((7, 3, 4))
THIN = np.array([0.0, 0.4, 0.6 - 1e-12, 0.0])

ROWS = [
    row(
        *(r.gru_step, gru_of_torch),
        draws=[*(given(*cell(3, n, 3)) for n in range(3)), shut(3, 1, 3)],
    ),
    row(
        *(r.lstm_step, lstm_of_torch),
        draws=[*(given(*cell(4, n, 3, 3)) for n in range(3)), shut(4, 1, 3, 3)],
    ),
    row(
        *(r.gated_step, gated_by_formula),
        draws=[given(*draws(n, 3 * n, n, (3 * n, n))) for n in (1, 3, 6)]
        + [given(np.array([9, 9, z, z, reset, reset]), *draws(3, 2, (6, 2)))
           for z, reset in ((-99.0, 0), (99.0, -99.0))],
    ),
    row(
        *(r.linear_memory, linear_by_loops), draws=[given(TOKENS, W5, E4)],
    ),
    row(
        *(r.tanh_recurrence, tanh_of_torch), draws=[given(draws(1, (6, 3))[0], W5, U3)],
    ),
    row(
        r.last_states, lambda tokens, W, E: np.array(
            [r.tanh_recurrence(E[row_], W, np.eye(5))[-1] for row_ in tokens]),
        draws=[given(TOKENS, W5, E4)],
    ),
    row(
        r.last_states, lambda tokens, W, E, squash: r.linear_memory(tokens, W, E),
        draws=[given(TOKENS, W5, E4, np.positive)], part="linear",
    ),
    row(
        *(r.input_gradients, inputs_by_autograd),
        draws=[given(STATES, draws(5, (6, 5))[0], 0.5 * W5, U3)],
    ),
    row(
        *(r.latch, latch_by_autograd), draws=[given(NOISY), given(NOISY[:, :1])], atol=1e-9,
    ),
    row(
        *(r.encode_by_loops, encode_of_torch),
        draws=[given(tokens, E7, GRU) for tokens in ([1], [1, 2, 3] * 5)],
    ),
    row(
        *(r.decode_by_loops, decode_of_torch),
        draws=[given(CONTEXT, [1, 4, 5], E7, GRU, W_OUT, B_OUT)],
    ),
    row(
        *(r.align_by_loops, align_by_matrices),
        draws=[given(*draws(n, 3, (n, 4), (5, 3), (5, 4), 5)) for n in (1, 4)],
    ),
    row(
        *(r.annotate_by_loops, annotate_by_formula),
        draws=[given([3, 5, 4, 3], BAHDANAU.E_x, BAHDANAU.forward, BAHDANAU.backward)],
    ),
    row(r.maxout, lambda x: x.reshape(-1, 2).max(1), draws=[given(draws(0, 8)[0])]),
    row(
        *(r.decoder_step, bahdanau_step), draws=[given(*draws(0, 5, 4, (3, 6)), BAHDANAU)],
    ),
    row(
        *(r.bahdanau_by_loops, bahdanau_whole),
        draws=[given([3, 4, 5], [1, 3, 4], BAHDANAU), given([3], [1], BAHDANAU)],
    ),
    row(
        *(r.scores_by_loops, luong_scores),
        draws=[given(H3, S3, *score) for score in (
            ("dot",), ("general", W33), ("concat", C56, V5), ("location", L43)
        )],
    ),
    row(
        *(r.luong_encode_by_loops, stack_of_torch),
        draws=[given([0, 2, 1, 2], LUONG.E_x, LUONG.encoder)],
    ),
    row(
        r.attentional_vector, lambda c, h, W: np.tanh(W[:, : len(c)] @ c + W[:, len(c) :] @ h),
        draws=[given(*draws(0, 2, 3, (4, 5)))],
    ),
    row(
        *(r.luong_by_loops, luong_whole),
        draws=[given([3, 4, 5, 3], [1, 3, 6], LUONG), given([2], [1], LUONG),
               given([3, 4, 5, 3, 2], [1, 3, 5], NEAR)],
    ),
    row(
        r.luong_by_loops, partial(luong_whole, query="step before"), part="step before",
        draws=[given([3, 4, 5], [1, 3, 4], LUONG._replace(query="step before"))],
    ),
    row(
        *(r.gnmt_by_loops, gnmt_by_matrices),
        draws=[given([0, 2, 1, 1], [1, 3, 0], p)
               for p in (GNMT, DEEPER, GNMT._replace(residual=False))],
    ),
    row(
        *(r.run_by_loops, run_of_torch),
        draws=[given(list(draws(0, (5, 4))[0]), GNMT.encoder[0])],
    ),
    row(
        *(r.lstmn_by_loops, lstmn_by_matrices),
        draws=[given(INPUTS, LSTMN), given(INPUTS[:1], LSTMN)],
    ),
    row(
        *(r.local_weights_by_loops, local, local_softmax),
        draws=LOCAL,
    ),
    row(
        *(r.window, window_by_loops),
        draws=[given(np.array(p), n, 2) for p, n in (([3.0, 3.5], 9), ([3.0, 6.0], 4))],
    ),
    row(
        *(r.predicted_centres, predicted_by_formula),
        draws=[given(*draws(0, (4, 3), (5, 3), 5), 7)],
    ),
    row(
        *(centre, centre_slope), part="by centre_gradient", atol=1e-8,
        draws=[centre_given(n, D) for n, D in ((0, 2), (1, 2), (3, 3))],
    ),
    row(
        *(r.predictor_gradients, predictor_slopes), atol=1e-7,
        draws=[given(*draws(n, (3, 4), (5, 4), 5), 7, draws(n + 9, 3)[0]) for n in range(2)],
    ),
    row(
        *(r.choose, choose_by_loops),
        draws=[given(W, UNIFORMS[:, 0, 0]), given(r.softmax(draws(1, (3, 4, 5))[0]), UNIFORMS),
               given(THIN, np.array([0.0, 0.3, 1 - 1e-16])),
               given(np.zeros((1, 3)), np.array([0.5])),
               given(np.array([0.5, 0.5]), np.array([0.5, 0.0]))],
    ),
    row(
        *(r.expected_reward_gradient, expected_slope), draws=[given(E, R_)], atol=1e-8,
    ),
    row(
        mean_estimate(), lambda e, rewards, b: r.expected_reward_gradient(e, rewards),
        draws=[given(E, R_, b) for b in (0.0, -2.0, 7.0)], part="of reinforce_gradients",
    ),
    row(
        *(r.reinforce_variance, variance_by_choices),
        draws=[given(W, R_, b) for b in (0.0, -2.0, 7.0)] + [given(W, R_ + 10)],
    ),
    row(
        *(r.best_baseline, best_by_search), draws=[given(W, R_), given(W, R_ + 10)],
    ),
    row(
        *(r.stochastic_gradient_by_loops, papers_rule), atol=1e-8,
        draws=[given(E, R_, np.array([0, 3, 3, 1]), -2.0, 0.5, 0.1)],
    ),
    row(
        *(r.moving_baselines, baselines_by_loops),
        draws=[given(R_), given(R_, 0.5, 2.0), given(R_, 1.0)],
    ),
    row(
        r.relaxed_choice, lambda e, noise, tau: r.softmax((e + noise) / tau),
        draws=[given(E, NOISE, tau) for tau in (0.3, 4.0)],
    ),
    row(
        *(r.straight_through_gradient, relaxed_slope), atol=1e-7,
        draws=[given(E, NOISE, tau, R_) for tau in (0.3, 1.0, 4.0)],
    ),
]  # fmt: skip
