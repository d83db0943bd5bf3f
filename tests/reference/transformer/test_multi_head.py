"""Multi-head attention: loops, one matrix for all heads, and what must not matter."""

import numpy as np
import pytest

from attention_course import reference
from attention_course.reference.labs.covered_letters import guess_covered
from attention_course.reference.transformer.multi_head import (
    kv_cache_bytes,
    merge_heads,
    multi_head_attention,
    multi_head_by_loops,
    split_heads,
)

BATCH, N_Q, N_K, D_MODEL, D_KV, HEADS, D_K, D_V, D_OUT = 2, 5, 7, 6, 10, 4, 3, 11, 13
NAMES = ("x_q", "x_kv", "W_q", "W_k", "W_v", "W_o")


def stacked(kv_heads=HEADS, seed=0):
    """Projections one head at a time, as the loops want them, and the inputs of a batch."""
    draw = np.random.RandomState(seed).standard_normal
    return {
        "x_q": draw((BATCH, N_Q, D_MODEL)),
        "x_kv": draw((BATCH, N_K, D_KV)),
        "W_q": draw((HEADS, D_MODEL, D_K)),
        "W_k": draw((kv_heads, D_KV, D_K)),
        "W_v": draw((kv_heads, D_KV, D_V)),
        "W_o": draw((HEADS * D_V, D_OUT)),
    }


def side_by_side(given):
    """The same projections as one matrix each."""
    flat = {n: np.concatenate(given[n], axis=1) for n in ("W_q", "W_k", "W_v")}
    return given | flat


def by_loops(given, mask=None):
    rows = [
        multi_head_by_loops(
            given["x_q"][b], given["x_kv"][b], *(given[n] for n in NAMES[2:]), mask
        )
        for b in range(BATCH)
    ]
    return tuple(np.stack(part) for part in zip(*rows, strict=True))


def at_once(given, kv_heads=None, function=multi_head_attention, **more):
    flat = side_by_side(given)
    return function(*(flat[n] for n in NAMES), n_heads=HEADS, n_kv_heads=kv_heads, **more)


def causal():
    return reference.causal_mask(N_Q, N_K)


def same(a, b):
    for one, other in zip(a, b, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-10)


def gives_the_loops(function):
    for kv_heads in (HEADS, 2, 1):
        given = stacked(kv_heads)
        same(at_once(given, kv_heads, function), by_loops(given))


def gives_the_loops_with_a_mask(function):
    given = stacked()
    same(at_once(given, None, function, mask=causal()), by_loops(given, causal()))


def silences_what_it_is_told_to(function):
    given, keep = stacked(), np.array([True, False, True, False])
    without = given | {"W_o": given["W_o"] * np.repeat(keep, D_V)[:, None]}
    same(at_once(given, None, function, keep=keep), at_once(without, None, function))


CHECKS = (gives_the_loops, gives_the_loops_with_a_mask, silences_what_it_is_told_to)


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
def test_all_heads_at_once(check):
    check(multi_head_attention)


# Wrong versions, each one that somebody has written.


def _parts(x_q, x_kv, W_q, W_k, W_v, n_heads, n_kv_heads, split=split_heads):
    n_kv_heads = n_kv_heads or n_heads
    q, k, v = split(x_q @ W_q, n_heads), split(x_kv @ W_k, n_kv_heads), None
    v = split(x_kv @ W_v, n_kv_heads)
    repeat = n_heads // n_kv_heads
    return q, np.repeat(k, repeat, axis=-3), np.repeat(v, repeat, axis=-3)


def _silent(context, keep):
    return context if keep is None else context * keep[:, None, None]


def cut_without_moving_the_heads(x_q, x_kv, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, **more):
    def split(x, heads):
        return x.reshape(*x.shape[:-2], heads, x.shape[-2], x.shape[-1] // heads)

    q, k, v = _parts(x_q, x_kv, W_q, W_k, W_v, n_heads, n_kv_heads, split)
    context, weights = reference.scaled_dot_product_attention(q, k, v, more.get("mask"))
    return merge_heads(_silent(context, more.get("keep"))) @ W_o, weights


def joined_without_moving_them_back(x_q, x_kv, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, **more):
    q, k, v = _parts(x_q, x_kv, W_q, W_k, W_v, n_heads, n_kv_heads)
    context, weights = reference.scaled_dot_product_attention(q, k, v, more.get("mask"))
    context = _silent(context, more.get("keep"))
    return context.reshape(*x_q.shape[:-1], -1) @ W_o, weights


def divided_by_the_model_width(x_q, x_kv, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, **more):
    factor = np.sqrt(W_q.shape[1] // n_heads / x_q.shape[-1])
    return multi_head_attention(
        x_q, x_kv, W_q * factor, W_k, W_v, W_o, n_heads, n_kv_heads, **more
    )


def groups_dealt_like_cards(x_q, x_kv, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, **more):
    kv = n_kv_heads or n_heads
    q = split_heads(x_q @ W_q, n_heads)
    k, v = (
        np.concatenate([split_heads(x_kv @ W, kv)] * (n_heads // kv), -3) for W in (W_k, W_v)
    )
    context, weights = reference.scaled_dot_product_attention(q, k, v, more.get("mask"))
    return merge_heads(_silent(context, more.get("keep"))) @ W_o, weights


def weights_averaged_over_the_heads(x_q, x_kv, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, **more):
    q, k, v = _parts(x_q, x_kv, W_q, W_k, W_v, n_heads, n_kv_heads)
    _, weights = reference.scaled_dot_product_attention(q, k, v, more.get("mask"))
    context = weights.mean(axis=-3, keepdims=True) @ v
    return merge_heads(_silent(context, more.get("keep"))) @ W_o, weights


def contexts_in_reverse_order(x_q, x_kv, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, **more):
    q, k, v = _parts(x_q, x_kv, W_q, W_k, W_v, n_heads, n_kv_heads)
    context, weights = reference.scaled_dot_product_attention(q, k, v, more.get("mask"))
    context = _silent(context, more.get("keep"))
    return merge_heads(context[..., ::-1, :, :]) @ W_o, weights


def the_mask_forgotten(*args, mask=None, **more):
    return multi_head_attention(*args, **more)


def the_mask_turned_over(*args, mask=None, **more):
    return multi_head_attention(*args, mask=None if mask is None else ~mask, **more)


def silenced_after_the_projection(*args, keep=None, **more):
    output, weights = multi_head_attention(*args, **more)
    if keep is not None:
        off = np.flatnonzero(~keep) * output.shape[-1] // len(keep)
        output = output.copy()
        output[..., off] = 0.0
    return output, weights


def only_the_weights_silenced(*args, keep=None, **more):
    output, weights = multi_head_attention(*args, **more)
    return output, weights if keep is None else weights * keep[:, None, None]


WRONG = {
    cut_without_moving_the_heads: gives_the_loops,
    joined_without_moving_them_back: gives_the_loops,
    divided_by_the_model_width: gives_the_loops,
    groups_dealt_like_cards: gives_the_loops,
    weights_averaged_over_the_heads: gives_the_loops,
    contexts_in_reverse_order: gives_the_loops,
    the_mask_forgotten: gives_the_loops_with_a_mask,
    the_mask_turned_over: gives_the_loops_with_a_mask,
    silenced_after_the_projection: silences_what_it_is_told_to,
    only_the_weights_silenced: silences_what_it_is_told_to,
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda w: w.__name__)
def test_a_wrong_version_is_caught(wrong):
    with pytest.raises(AssertionError):
        WRONG[wrong](wrong)


# What must not matter, and what must.


def test_the_order_of_the_heads_does_not_matter_if_w_o_follows():
    given, order = stacked(), np.array([2, 0, 3, 1])
    blocks = given["W_o"].reshape(HEADS, D_V, D_OUT)[order].reshape(-1, D_OUT)
    moved = {n: given[n][order] for n in ("W_q", "W_k", "W_v")} | {"W_o": blocks}
    output, weights = at_once(given)
    new_output, new_weights = at_once(given | moved)
    same((new_output, new_weights), (output, weights[:, order]))
    assert np.abs(at_once(given | moved | {"W_o": given["W_o"]})[0] - output).max() > 0.1


def test_queries_and_keys_may_be_turned_together_and_values_against_w_o():
    given, draw = stacked(), np.random.RandomState(9).standard_normal
    A, B = draw((HEADS, D_K, D_K)), draw((HEADS, D_V, D_V))
    blocks = np.linalg.inv(B) @ given["W_o"].reshape(HEADS, D_V, D_OUT)
    turned = {
        "W_q": given["W_q"] @ A,
        "W_k": given["W_k"] @ np.linalg.inv(A).transpose(0, 2, 1),
        "W_v": given["W_v"] @ B,
        "W_o": blocks.reshape(-1, D_OUT),
    }
    for one, other in zip(at_once(given | turned), at_once(given), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-8)


def test_keys_may_be_shuffled_and_queries_carry_their_order():
    given = stacked()
    keys, queries = np.random.RandomState(1).permutation(N_K), np.array([4, 0, 3, 1, 2])
    moved = given | {"x_kv": given["x_kv"][:, keys], "x_q": given["x_q"][:, queries]}
    same([at_once(moved)[0]], [at_once(given)[0][:, queries]])


def test_the_output_is_a_sum_of_what_each_head_adds():
    given = stacked()
    alone = [at_once(given, keep=np.arange(HEADS) == i)[0] for i in range(HEADS)]
    same([sum(alone)], [at_once(given)[0]])


def test_every_row_of_weights_sums_to_one():
    np.testing.assert_allclose(at_once(stacked(), mask=causal())[1].sum(-1), 1, atol=1e-12)


def test_a_query_that_may_see_nothing_gets_zero():
    mask = np.ones((N_Q, N_K), bool)
    mask[2] = False
    output, weights = at_once(stacked(), mask=mask)
    assert not output[:, 2].any()
    assert not weights[:, :, 2].any()


@pytest.mark.parametrize("kv_heads", [1, 2])
def test_sharing_keys_is_repeating_their_matrices(kv_heads):
    given = stacked(kv_heads)
    again = {n: np.repeat(given[n], HEADS // kv_heads, axis=0) for n in ("W_k", "W_v")}
    same(at_once(given, kv_heads), at_once(given | again))


def test_one_group_is_multi_query_and_as_many_groups_as_heads_is_multi_head():
    given = stacked(1)
    k, v = (given["x_kv"] @ given[n][0] for n in ("W_k", "W_v"))
    heads = [
        reference.scaled_dot_product_attention(given["x_q"] @ W, k, v)[0] for W in given["W_q"]
    ]
    same([at_once(given, 1)[0]], [np.concatenate(heads, -1) @ given["W_o"]])
    same(at_once(stacked(), HEADS), at_once(stacked(), None))


def test_one_head_without_projections_is_plain_attention():
    x, eye = stacked()["x_q"], np.eye(D_MODEL)
    ours = multi_head_attention(x, x, eye, eye, eye, eye, n_heads=1)
    context, weights = reference.scaled_dot_product_attention(x, x, x)
    same(ours, (context, weights[:, None]))


def test_merging_undoes_splitting():
    x = np.random.RandomState(0).standard_normal((3, 5, 12))
    for heads in (1, 2, 3, 12):
        pieces = split_heads(x, heads)
        assert pieces.shape == (3, heads, 5, 12 // heads)
        np.testing.assert_array_equal(pieces[1, -1, 2], x[1, 2, -(12 // heads) :])
        np.testing.assert_array_equal(merge_heads(pieces), x)


def test_the_cache_grows_with_the_heads_that_keep_keys_alone():
    sizes = [kv_cache_bytes(100, 3, heads, 8) for heads in (1, 2, 8)]
    assert sizes == [9600, 19200, 76800]
    assert kv_cache_bytes(100, 3, 2, 8, d_v=24, bytes_per_number=4) == 100 * 3 * 2 * 32 * 4


def letters(n_heads=2, d=4):
    draw = np.random.RandomState(0).standard_normal
    shapes = {"letters": (30, d), "places": (6, d), "W_1": (d, 5), "b_1": 5, "W_2": (5, 26)}
    shapes |= dict.fromkeys(("W_q", "W_k", "W_v", "W_o"), (d, d)) | {"b_2": 26}
    return {name: draw(shape) for name, shape in shapes.items()}


def test_a_guess_does_not_depend_on_the_padding_or_the_rest_of_the_batch():
    p = letters()
    one, weights = guess_covered(np.array([[1, 3, 5, 2]]), np.array([1]), p, 2)
    rows = np.array([[1, 3, 5, 2, 0, 0], [1, 7, 8, 3, 9, 2]])
    two, padded = guess_covered(rows, np.array([1, 3]), p, 2)
    np.testing.assert_allclose(two[0], one[0], atol=1e-14)
    np.testing.assert_allclose(padded[0, :, :4], weights[0], atol=1e-14)
    assert not padded[0, :, 4:].any()


def test_with_every_head_silent_a_guess_knows_only_the_place():
    p, silent = letters(), np.zeros(2, bool)
    guesses = [
        guess_covered(np.array([[1, 3, letter, 2]]), np.array([1]), p, 2, keep=silent)[0]
        for letter in (4, 5, 20)
    ]
    np.testing.assert_array_equal(guesses[0], guesses[1])
    np.testing.assert_array_equal(guesses[0], guesses[2])
