"""Self-attention: loops against matrices, properties of any input, wrong versions, costs."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_course.reference import (
    causal_mask,
    layer_cost,
    scaled_dot_product_attention,
    self_attention,
    self_attention_by_loops,
    sinusoidal_positions,
    softmax,
)

N, D_MODEL, D_K, D_V = 7, 6, 4, 5


def draw(seed=0, n=N, d_k=D_K, d_v=D_V):
    normal = np.random.RandomState(seed).standard_normal
    return (
        normal((n, D_MODEL)),
        normal((D_MODEL, d_k)),
        normal((D_MODEL, d_k)),
        normal((D_MODEL, d_v)),
    )


def random_mask(n=N, seed=3):
    return np.random.RandomState(seed).rand(n, n) < 0.5


@given(st.integers(0, 30), st.integers(1, 6), st.integers(1, 5), st.integers(1, 5))
def test_matrices_equal_the_loops(seed, n, d_k, d_v):
    arrays = draw(seed, n, d_k, d_v)
    for mask in (None, causal_mask(n), random_mask(n, seed)):
        context, weights = self_attention(*arrays, mask)
        by_loops, loop_weights = self_attention_by_loops(*arrays, mask)
        np.testing.assert_allclose(context, by_loops, atol=1e-10)
        np.testing.assert_allclose(weights, loop_weights, atol=1e-10)


def test_a_batch_is_its_sentences_one_by_one():
    x, *matrices = draw()
    batch = np.stack([x, 2 * x, -x])
    context, _ = self_attention(batch, *matrices)
    for one, c in zip(batch, context, strict=True):
        np.testing.assert_allclose(c, self_attention(one, *matrices)[0], atol=1e-12)


# What must hold for any right version, as functions so that wrong versions can be tried.


def sums_to_one(attend):
    _, weights = attend(*draw())
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-12)


def is_equivariant(attend):
    x, *matrices = draw()
    order = np.random.RandomState(1).permutation(N)
    context, weights = attend(x, *matrices)
    moved, moved_weights = attend(x[order], *matrices)
    np.testing.assert_allclose(moved, context[order], atol=1e-10)
    np.testing.assert_allclose(moved_weights, weights[order][:, order], atol=1e-10)


def ignores_a_shift_of_the_scores(attend):
    # A constant column in x, seen only by the keys, adds the same number to a whole row.
    x, W_q, W_k, W_v = draw()
    x = np.column_stack([x, np.ones(N)])
    zero, shift = np.zeros((1, D_K)), 3 * np.ones((1, D_K))
    W_v = np.vstack([W_v, np.zeros((1, D_V))])
    plain, _ = attend(x, np.vstack([W_q, zero]), np.vstack([W_k, zero]), W_v)
    shifted, _ = attend(x, np.vstack([W_q, zero]), np.vstack([W_k, shift]), W_v)
    np.testing.assert_allclose(shifted, plain, atol=1e-10)


def sees_nothing_later(attend):
    x, *matrices = draw()
    changed = x.copy()
    changed[4] += 1.0
    a, b = (attend(rows, *matrices, causal_mask(N))[0] for rows in (x, changed))
    assert np.array_equal(a[:4], b[:4])
    assert (a[4:] != b[4:]).any(axis=1).all()


def equals_the_loops(attend):
    np.testing.assert_allclose(
        attend(*draw())[0], self_attention_by_loops(*draw())[0], atol=1e-10
    )


PROPERTIES = [
    sums_to_one,
    is_equivariant,
    ignores_a_shift_of_the_scores,
    sees_nothing_later,
    equals_the_loops,
]


@pytest.mark.parametrize("holds", PROPERTIES)
def test_self_attention_has_the_property(holds):
    holds(self_attention)


# Plausible mistakes, and the property that tells each.


def softmax_over_the_queries(x, W_q, W_k, W_v, mask=None):
    scores = x @ W_q @ (x @ W_k).T / np.sqrt(W_q.shape[1])
    weights = softmax(scores, axis=0, mask=mask)
    return weights @ (x @ W_v), weights


def keys_ask(x, W_q, W_k, W_v, mask=None):
    return self_attention(x, W_k, W_q, W_v, mask)


def scaled_by_d_model(x, W_q, W_k, W_v, mask=None):
    return self_attention(x, W_q, W_k, W_v, mask, scale=x.shape[-1] ** -0.5)


def not_scaled(x, W_q, W_k, W_v, mask=None):
    return self_attention(x, W_q, W_k, W_v, mask, scale=1.0)


def mask_turned_over(x, W_q, W_k, W_v, mask=None):
    return self_attention(x, W_q, W_k, W_v, None if mask is None else ~mask)


def masked_after_the_softmax(x, W_q, W_k, W_v, mask=None):
    _, weights = self_attention(x, W_q, W_k, W_v)
    weights = weights if mask is None else weights * mask
    return weights @ (x @ W_v), weights


def positions_slipped_in(x, W_q, W_k, W_v, mask=None):
    return self_attention(x + sinusoidal_positions(*x.shape), W_q, W_k, W_v, mask)


def shares_without_exponentials(x, W_q, W_k, W_v, mask=None):
    scores = np.abs(x @ W_q @ (x @ W_k).T)
    weights = scores / scores.sum(-1, keepdims=True)
    return weights @ (x @ W_v), weights


CAUGHT = [
    (softmax_over_the_queries, sums_to_one),
    (softmax_over_the_queries, equals_the_loops),
    (keys_ask, equals_the_loops),
    (scaled_by_d_model, equals_the_loops),
    (not_scaled, equals_the_loops),
    (mask_turned_over, sees_nothing_later),
    (masked_after_the_softmax, sees_nothing_later),
    (positions_slipped_in, is_equivariant),
    (shares_without_exponentials, ignores_a_shift_of_the_scores),
]


def test_each_property_catches_some_mistake():
    assert {holds for _, holds in CAUGHT} == set(PROPERTIES)


@pytest.mark.parametrize(("wrong", "property_"), CAUGHT)
def test_a_wrong_version_is_caught(wrong, property_):
    with pytest.raises(AssertionError):
        property_(wrong)


# Two words that are the same.


def test_equal_words_get_equal_contexts_until_positions_or_a_mask_part_them():
    x, *matrices = draw()
    x[5] = x[2]
    c, _ = self_attention(x, *matrices)
    np.testing.assert_allclose(c[2], c[5], atol=1e-12)
    placed, _ = self_attention(x + sinusoidal_positions(N, D_MODEL), *matrices)
    causal, _ = self_attention(x, *matrices, causal_mask(N))
    assert np.abs(placed[2] - placed[5]).max() > 0.01
    assert np.abs(causal[2] - causal[5]).max() > 0.01


def test_a_word_that_may_attend_to_nothing_gets_zeros():
    mask = np.ones((N, N), bool)
    mask[3] = False
    context, weights = self_attention(*draw(), mask)
    assert not context[3].any()
    assert not weights[3].any()
    assert context[2].any()


def test_positions_are_the_papers():
    p = sinusoidal_positions(50, 8)
    for t in (0, 1, 49):
        for i in range(4):
            angle = t / 10000 ** (2 * i / 8)
            np.testing.assert_allclose(p[t, 2 * i : 2 * i + 2], [np.sin(angle), np.cos(angle)])


def test_positions_shift_by_a_rotation():
    p = sinusoidal_positions(30, 8)
    first, later = p[:20], p[7:27]
    rotation, *_ = np.linalg.lstsq(first, later, rcond=None)
    np.testing.assert_allclose(first @ rotation, later, atol=1e-10)


def test_odd_widths_end_in_a_sine():
    np.testing.assert_allclose(
        sinusoidal_positions(3, 5)[:, 4], np.sin(np.arange(3) / 10000**0.8)
    )


# What a layer costs: torch counts too.


def counted(run):
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as count:
        run()
    return count.get_total_flops()


def attention_layer(n, d):
    x, W = torch.ones(n, d), torch.ones(d, d)
    q, k, v = x @ W, x @ W, x @ W
    torch.softmax(q @ k.T, -1) @ v @ W


def recurrent_layer(n, d, gates):
    x, h, W = torch.ones(n, d), torch.zeros(1, d), torch.ones(d, gates * d)
    for t in range(n):
        h = (x[t : t + 1] @ W + h @ W).reshape(gates, 1, d).prod(0)


@pytest.mark.parametrize(("n", "d"), [(3, 5), (16, 8), (8, 16)])
def test_the_operations_are_those_that_torch_counts(n, d):
    assert layer_cost("self-attention", n, d)["flops"] == counted(lambda: attention_layer(n, d))
    assert layer_cost("rnn", n, d)["flops"] == counted(lambda: recurrent_layer(n, d, 1))
    assert layer_cost("lstm", n, d)["flops"] == counted(lambda: recurrent_layer(n, d, 4))


def test_steps_and_path_grow_with_the_sentence_only_where_it_is_read_in_turn():
    assert [layer_cost("self-attention", n, 4)["steps"] for n in (1, 9, 99)] == [1, 1, 1]
    assert [layer_cost("lstm", n, 4)["path"] for n in (1, 9, 99)] == [1, 9, 99]


def test_the_inner_formula_is_scaled_dot_product_attention():
    x, W_q, W_k, W_v = draw()
    wanted = scaled_dot_product_attention(x @ W_q, x @ W_k, x @ W_v)
    for ours, theirs in zip(self_attention(x, W_q, W_k, W_v), wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)
