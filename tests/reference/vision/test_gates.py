"""Gates by place and by channel, and the non-local block: loops, and wrong versions."""

import math

import numpy as np
import pytest

from attention_course.reference import non_local, spatial_gate, squeeze_and_excitation

N, C, H, W, HIDDEN, D_K, D_V = 2, 3, 4, 5, 6, 7, 8
RNG = np.random.RandomState(0)
X = RNG.standard_normal((N, C, H, W))
GATE = RNG.standard_normal(C), 0.7
SQUEEZE = [RNG.standard_normal(s) for s in ((C, HIDDEN), HIDDEN, (HIDDEN, C), C)]
PROJECT = [RNG.standard_normal(s) for s in ((C, D_K), (C, D_K), (C, D_V), (D_V, C))]


def sigmoid(z):
    return 1 / (1 + math.exp(-z))


def places_are_gated_as_by_the_loop(function):
    gated, mask = function(X, *GATE)
    assert mask.shape == (N, H, W)
    for n, a, b in np.ndindex(N, H, W):
        m = sigmoid(sum(GATE[0][c] * X[n, c, a, b] for c in range(C)) + GATE[1])
        assert math.isclose(mask[n, a, b], m, abs_tol=1e-12)
        for c in range(C):
            assert math.isclose(gated[n, c, a, b], (1 + m) * X[n, c, a, b], abs_tol=1e-12)


def channels_are_gated_as_by_the_loop(function):
    gated, gates = function(X, *SQUEEZE)
    assert gates.shape == (N, C)
    W_1, b_1, W_2, b_2 = SQUEEZE
    for n in range(N):
        means = [sum(X[n, c].flat) / (H * W) for c in range(C)]
        sums = [sum(means[c] * W_1[c, h] for c in range(C)) + b_1[h] for h in range(HIDDEN)]
        hidden = [max(0.0, z) for z in sums]
        for c in range(C):
            s = sigmoid(sum(hidden[h] * W_2[h, c] for h in range(HIDDEN)) + b_2[c])
            assert math.isclose(gates[n, c], s, abs_tol=1e-12)
            np.testing.assert_allclose(gated[n, c], s * X[n, c], rtol=0, atol=1e-12)


def places_ask_as_by_the_loop(function, way="softmax"):
    z, weights = function(X, *PROJECT, way)
    W_q, W_k, W_v, W_z = PROJECT
    places = list(np.ndindex(H, W))
    assert weights.shape == (N, H * W, H * W)
    for n in range(N):
        for i, (a, b) in enumerate(places):
            query = X[n, :, a, b] @ W_q
            scores = [query @ (X[n, :, c, d] @ W_k) for c, d in places]
            exps = [math.exp(e - max(scores)) for e in scores]
            row = [e / sum(exps) for e in exps]
            if way == "dot product":
                row = [e / len(places) for e in scores]
            found = sum(
                w * (X[n, :, c, d] @ W_v) for w, (c, d) in zip(row, places, strict=True)
            )
            np.testing.assert_allclose(weights[n, i], row, rtol=0, atol=1e-12)
            np.testing.assert_allclose(z[n, :, a, b], X[n, :, a, b] + found @ W_z, atol=1e-10)


def places_ask_by_dot_products(function):
    places_ask_as_by_the_loop(function, "dot product")


def gate_without_one(x, w, b):
    gated, mask = spatial_gate(x, w, b)
    return gated - x, mask


def gate_without_sigmoid(x, w, b):
    mask = np.tensordot(x, w, axes=(1, 0)) + b
    return (1 + mask[:, None]) * x, mask


def gates_that_compete(x, W_1, b_1, W_2, b_2):
    hidden = np.maximum(x.mean(axis=(2, 3)) @ W_1 + b_1, 0)
    exps = np.exp(hidden @ W_2 + b_2)
    gates = exps / exps.sum(axis=1, keepdims=True)
    return gates[:, :, None, None] * x, gates


def squeezed_by_the_largest(x, W_1, b_1, W_2, b_2):
    largest = np.broadcast_to(x.max(axis=(2, 3), keepdims=True), x.shape)
    gates = squeeze_and_excitation(largest, W_1, b_1, W_2, b_2)[1]
    return gates[:, :, None, None] * x, gates


def gates_without_rectifier(x, W_1, b_1, W_2, b_2):
    z = (x.mean(axis=(2, 3)) @ W_1 + b_1) @ W_2 + b_2
    gates = 1 / (1 + np.exp(-z))
    return gates[:, :, None, None] * x, gates


def without_what_came_in(x, *rest):
    z, weights = non_local(x, *rest)
    return z - x, weights


def scaled_by_the_root(x, W_q, *rest):
    return non_local(x, W_q / D_K**0.5, *rest)


def straight_to_rows(x, *rest):
    turned = x.reshape(N, H * W, C).swapaxes(1, 2).reshape(x.shape)
    return non_local(turned, *rest)


def weighed_the_other_way(x, W_q, W_k, *rest):
    return non_local(x, W_k, W_q, *rest)


def divided_by_the_width(x, W_q, W_k, W_v, W_z, way):
    z, weights = non_local(x, W_q * H * W / D_K, W_k, W_v, W_z, way)
    return z, weights


RIGHT = (
    (places_are_gated_as_by_the_loop, spatial_gate),
    (channels_are_gated_as_by_the_loop, squeeze_and_excitation),
    (places_ask_as_by_the_loop, non_local),
    (places_ask_by_dot_products, non_local),
)
WRONG = (
    (places_are_gated_as_by_the_loop, gate_without_one),
    (places_are_gated_as_by_the_loop, gate_without_sigmoid),
    (channels_are_gated_as_by_the_loop, gates_that_compete),
    (channels_are_gated_as_by_the_loop, squeezed_by_the_largest),
    (channels_are_gated_as_by_the_loop, gates_without_rectifier),
    (places_ask_as_by_the_loop, without_what_came_in),
    (places_ask_as_by_the_loop, scaled_by_the_root),
    (places_ask_as_by_the_loop, straight_to_rows),
    (places_ask_as_by_the_loop, weighed_the_other_way),
    (places_ask_by_dot_products, without_what_came_in),
    (places_ask_by_dot_products, divided_by_the_width),
)


@pytest.mark.parametrize(("check", "function"), RIGHT)
def test_the_specification(check, function):
    check(function)


@pytest.mark.parametrize(("check", "function"), WRONG)
def test_wrong_versions_are_caught(check, function):
    with pytest.raises((AssertionError, ValueError)):
        check(function)


def test_gates_do_not_compete_and_weights_do():
    """Raising one channel's gate leaves the others alone; a softmax shares out a sum of 1."""
    W_1, b_1, W_2, b_2 = SQUEEZE
    raised = b_2 + np.eye(C)[0]
    before, after = (squeeze_and_excitation(X, W_1, b_1, W_2, b)[1] for b in (b_2, raised))
    assert (after[:, 0] > before[:, 0]).all()
    np.testing.assert_array_equal(after[:, 1:], before[:, 1:])
    np.testing.assert_allclose(non_local(X, *PROJECT)[1].sum(-1), 1, atol=1e-12)


def test_dot_products_may_be_multiplied_in_the_cheaper_order():
    W_q, W_k, W_v, W_z = PROJECT
    rows = X.reshape(N, C, -1).swapaxes(1, 2)
    small = (rows @ W_k).swapaxes(1, 2) @ (rows @ W_v)  # no weight of places by places
    z = rows + rows @ W_q @ small / (H * W) @ W_z
    wanted = non_local(X, *PROJECT, "dot product")[0]
    np.testing.assert_allclose(z.swapaxes(1, 2).reshape(X.shape), wanted, atol=1e-12)


def test_large_scores_are_no_trouble():
    with np.errstate(all="raise", under="ignore"):
        gated, mask = spatial_gate(1000 * X, *GATE)
        z, weights = non_local(100 * X, *PROJECT)
    assert np.isfinite(gated).all()
    assert ((mask >= 0) & (mask <= 1)).all()
    assert np.isfinite(z).all()
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: spatial_gate(X, np.ones(2)), "spatial_gate: "),
        (lambda: spatial_gate(X, np.ones(C), np.inf), "spatial_gate: b must be a finite"),
        (lambda: squeeze_and_excitation(X[:, :, :0], *SQUEEZE), "squeeze_and_excitation: x "),
        (lambda: squeeze_and_excitation(X[:, :2], *SQUEEZE), "squeeze_and_excitation: "),
        (lambda: non_local(X[:, :2], *PROJECT), "non_local: "),
        (lambda: non_local(X, *PROJECT, "gaussian"), "non_local: way must be one of"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
