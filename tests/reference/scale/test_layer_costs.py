"""Costs: formulas against loops that count, loops against layers, paths against matrices."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_course.measure.saved_bytes import saved_bytes
from attention_course.reference import (
    additive_scores,
    kernel_attention,
    layer_cost,
    scaled_dot_product_attention,
    softmax,
)
from attention_course.reference.scale.costs import (
    LAYERS,
    layer_costs,
    maximum_path,
    positions_read,
    signal_path,
    waiting_steps,
)
from attention_course.reference.scale.counting import layer_weights, run_counted

WIDTHS = {"windowed": 5, "convolution": 3, "dilated convolution": 2, "block-sparse": 4}
SIZES = [(11, 6), (5, 3), (1, 2), (13, 1)]


def draw(layer, n, d):
    rng = np.random.RandomState(n + d)
    width = WIDTHS.get(layer, 1)
    return rng.standard_normal((n, d)), layer_weights(layer, d, rng, width), width


@pytest.mark.parametrize(("n", "d"), SIZES)
@pytest.mark.parametrize("layer", LAYERS)
def test_the_formulas_are_what_loops_count(layer, n, d):
    x, weights, width = draw(layer, n, d)
    _, tally = run_counted(layer, x, weights, n if layer == "tiled" else width)
    cost = layer_costs(layer, n, d, width)
    assert (cost.operations, cost.functions) == (tally.operations, tally.functions)


@pytest.mark.parametrize("block", [1, 2, 3, 7])
def test_each_further_block_costs_an_exponential_for_each_query(block):
    x, _, _ = draw("tiled", 11, 6)
    _, tally = run_counted("tiled", x, width=block)
    cost = layer_costs("tiled", 11, 6)
    assert tally.operations == cost.operations
    assert tally.functions == cost.functions + 11 * (math.ceil(11 / block) - 1)


def as_torch(x, weights):
    return [torch.from_numpy(a) for a in (x, *weights)]


def readings(layer, n, width, depth=0):
    read = [positions_read(layer, i, n, width, depth) for i in range(n)]
    return np.array([[j in positions for j in range(n)] for positions in read])


def by_torch(layer, x, W, width):
    """Return what the layer computes, by torch's own or by other formulas of the reference."""
    n, d = x.shape
    if layer in ("rnn", "gru", "lstm"):
        kind = {"rnn": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[layer]
        module = kind(d, d, bias=False, dtype=torch.float64)
        module.weight_ih_l0.data, module.weight_hh_l0.data = (torch.from_numpy(w.T) for w in W)
        return module(torch.from_numpy(x))[0].detach().numpy()
    if layer.endswith("convolution"):
        after = width // 2 if layer == "convolution" else 0
        signal = torch.from_numpy(x.T)[None]
        padded = torch.nn.functional.pad(signal, (width - 1 - after, after))
        kernel = torch.from_numpy(np.ascontiguousarray(W[0][::-1].transpose(2, 1, 0)))
        return torch.nn.functional.conv1d(padded, kernel)[0].T.numpy()
    if layer == "self-attention":
        context, _ = scaled_dot_product_attention(x @ W[0], x @ W[1], x @ W[2])
        return context @ W[3]
    if layer == "additive":
        return softmax(additive_scores(x, x, *W)) @ x
    if layer == "linear":
        return kernel_attention(x, x, x)
    return scaled_dot_product_attention(x, x, x, readings(layer, n, width))[0]


@pytest.mark.parametrize("layer", LAYERS)
def test_the_loops_compute_the_layer(layer):
    x, weights, width = draw(layer, 11, 6)
    width = 4 if layer == "tiled" else width
    by_loops, _ = run_counted(layer, x, weights, width)
    np.testing.assert_allclose(by_loops, by_torch(layer, x, weights, width), atol=1e-12)


def attention(x, W_q, W_k, W_v, W_o):
    return (x @ W_q @ (x @ W_k).mT / math.sqrt(len(W_q))).softmax(-1) @ (x @ W_v) @ W_o


def additive(x, W_q, W_k, w_v):
    hidden = torch.tanh((x @ W_q)[:, None] + (x @ W_k)[None])
    return (hidden @ w_v[:, None])[..., 0].softmax(-1) @ x


def rnn(x, W, U):
    h, out = torch.zeros(1, len(U), dtype=x.dtype), []
    for row in (x @ W).split(1):
        h = torch.tanh(row + h @ U)
        out.append(h)
    return torch.cat(out)


def gru(x, W, U):
    d = len(U)
    h, out = torch.zeros(1, d, dtype=x.dtype), []
    for row in (x @ W).split(1):
        gates = torch.sigmoid(row[:, : 2 * d] + h @ U[:, : 2 * d])
        new = torch.tanh(row[:, 2 * d :] + gates[:, :d] * (h @ U[:, 2 * d :]))
        h = new + gates[:, d:] * (h - new)
        out.append(h)
    return torch.cat(out)


def lstm(x, W, U):
    d = len(U)
    h, out = torch.zeros(1, d, dtype=x.dtype), []
    c = h
    for row in (x @ W).split(1):
        sums = row + h @ U
        i, f, o = (torch.sigmoid(sums[:, k * d : (k + 1) * d]) for k in (0, 1, 3))
        c = f * c + i * torch.tanh(sums[:, 2 * d : 3 * d])
        h = o * torch.tanh(c)
        out.append(h)
    return torch.cat(out)


def dot_product(x):
    return (x @ x.mT / math.sqrt(x.shape[1])).softmax(-1) @ x


def linear(x):
    q, k = (torch.nn.functional.elu(x) + 1 for _ in range(2))
    return (q @ (k.mT @ x)) / (q @ k.sum(0)[:, None])


TORCH = {
    "self-attention": attention,
    "additive": additive,
    "rnn": rnn,
    "gru": gru,
    "lstm": lstm,
    "dot-product": dot_product,
    "linear": linear,
}


@pytest.mark.parametrize("layer", TORCH)
def test_torch_counts_the_same_operations(layer):
    x, weights, _ = draw(layer, 11, 6)
    with FlopCounterMode(display=False) as counter:
        TORCH[layer](*as_torch(x, weights))
    assert counter.get_total_flops() == layer_costs(layer, 11, 6).operations


@pytest.mark.parametrize(
    ("layer", "slack"),
    # Rows: the last state is not read by another step, a first state of zeros is kept.
    [
        ("rnn", 6),
        ("gru", 12),
        ("lstm", 12),
        ("self-attention", 0),
        ("dot-product", 0),
        ("additive", 0),
        ("linear", 60),
    ],
)
def test_torch_keeps_what_the_formula_says(layer, slack):
    x, weights, _ = draw(layer, 11, 6)
    x, *weights = [a.requires_grad_() for a in as_torch(x, weights)]
    kept = saved_bytes(TORCH[layer], x, *weights)
    assert abs(kept / 8 - layer_costs(layer, 11, 6).kept) <= slack


def test_the_chapter_on_self_attention_counts_the_same():
    for layer in ("self-attention", "rnn", "lstm"):
        cost, old = layer_costs(layer, 40, 24), layer_cost(layer, 40, 24)
        assert (cost.operations, cost.steps) == (old["flops"], old["steps"])
        assert maximum_path(layer, 40) == old["path"]


def by_matrices(layer, n, width):
    """Return the maximum path by powers of matrices: who is reached after so many steps."""
    up = [readings(layer, n, width, depth) for depth in range(n)]
    beside = np.eye(n, k=-1, dtype=bool) if layer in ("rnn", "gru", "lstm") else 0 * up[0]
    reached = {0: np.eye(n, dtype=bool)}  # by depth
    steps = np.zeros((n, n), dtype=int)
    for step in range(1, 2 * n):
        after = {}
        for depth, who in reached.items():
            if depth < n:
                after[depth + 1] = after.get(depth + 1, False) | (up[depth] @ who)
            if depth:
                after[depth] = after.get(depth, False) | (beside @ who)
        reached = after
        new = np.any([who for depth, who in reached.items() if depth], axis=0) & (steps == 0)
        steps[new.astype(bool)] = step
    return steps.max()


@pytest.mark.parametrize("n", [1, 2, 7, 12])
@pytest.mark.parametrize("layer", LAYERS)
def test_the_search_finds_what_matrices_find(layer, n):
    width = WIDTHS.get(layer, 1)
    assert maximum_path(layer, n, width) == by_matrices(layer, n, width)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_path_is_made_of_readings_and_as_long_as_it_says(layer):
    n, width = 9, WIDTHS.get(layer, 1)
    path = signal_path(layer, n, 0, n - 1, width)
    for (depth, j), (above, i) in pairwise(path):
        if above == depth:
            assert (layer in ("rnn", "gru", "lstm"), i) == (True, j + 1)
        else:
            assert above == depth + 1
            assert j in positions_read(layer, i, n, width, depth)
    assert (path[0], path[-1][1]) == ((0, 0), n - 1)


def test_nothing_travels_backwards_in_a_recurrent_layer():
    assert signal_path("gru", 5, 3, 1) == []
    assert signal_path("dilated convolution", 5, 3, 1, 2) == []
    assert signal_path("convolution", 5, 3, 1, 5) == [(0, 3), (1, 1)]


@pytest.mark.parametrize("layer", LAYERS)
def test_all_wait_when_a_model_writes_and_recurrent_layers_always(layer):
    assert waiting_steps(layer, 9, writing=True) == 9
    assert waiting_steps(layer, 9) == (9 if layer in ("rnn", "gru", "lstm") else 1)
