"""Attention in parts and in blocks: that of one softmax over all keys, and wrong versions."""

import inspect
import itertools

import numpy as np
import pytest
import torch
from checks import close, draws

from attention_course.reference import (
    _core,
    attention_in_blocks,
    causal_mask,
    merge_partials,
    partial_attention,
    scaled_dot_product_attention,
)
from attention_course.reference.scale import online_softmax

N_Q, N_K, D_K, D_V = 5, 11, 4, 3


def qkv(seed=0, size=1.0, dtype=np.float64, n_k=N_K):
    q, k, v = draws(seed, (2, 3, N_Q, D_K), (2, 3, n_k, D_K), (2, 3, n_k, D_V))
    return [x.astype(dtype) for x in (size * q, size * k, v)]


def masks():
    scattered = np.random.RandomState(1).random_sample((2, 3, N_Q, N_K)) < 0.4
    scattered[0, :, 2] = False  # one query sees nothing, another only the last key
    scattered[1, :, 3] = np.arange(N_K) == N_K - 1
    return {"no mask": None, "causal": causal_mask(N_Q, N_K), "scattered": scattered}


MASKS = masks()


def log_sum_exp(q, k, mask, scale=D_K**-0.5):
    scores = torch.from_numpy(scale * q @ np.swapaxes(k, -1, -2))
    if mask is not None:
        scores = scores.masked_fill(
            ~torch.from_numpy(np.broadcast_to(mask, scores.shape).copy()), -np.inf
        )
    return scores.logsumexp(dim=-1).numpy()


def cut(q, k, v, mask, edges, partial=partial_attention):
    """Attend to each part of the keys on its own."""
    found = []
    for start, stop in itertools.pairwise((0, *edges, k.shape[-2])):
        seen = mask if mask is None else mask[..., start:stop]
        found.append(partial(q, k[..., start:stop, :], v[..., start:stop, :], mask=seen))
    contexts, logs = zip(*found, strict=True)
    return np.stack(contexts), np.stack(logs)


@pytest.mark.parametrize("name", MASKS)
def test_one_part_is_attention_with_its_log_sum_exp(name):
    q, k, v = qkv()
    context, logs = partial_attention(q, k, v, mask=MASKS[name])
    close(context, scaled_dot_product_attention(q, k, v, MASKS[name])[0])
    close(logs, log_sum_exp(q, k, MASKS[name]))


def merging_is_exact(partial=partial_attention, merge=merge_partials):
    for mask, edges in itertools.product(MASKS.values(), [(), (4,), (1, 5, 6), (0, 7, 7)]):
        for size in (1.0, 30.0):
            q, k, v = qkv(size=size)
            parts = cut(q, k, v, mask, edges, partial)
            wanted = scaled_dot_product_attention(q, k, v, mask)[0]
            for order in (slice(None), slice(None, None, -1)):
                context, logs = merge(*(x[order] for x in parts))
                close(context, wanted, 1e-11)
                close(logs, log_sum_exp(q, k, mask), 1e-11)


def blocks_are_exact(attend=attention_in_blocks):
    for mask, block in itertools.product(MASKS.values(), (1, 2, 4, N_K, 50)):
        for size in (1.0, 30.0):
            q, k, v = qkv(size=size)
            context, logs = attend(q, k, v, block, mask=mask)
            close(context, scaled_dot_product_attention(q, k, v, mask)[0], 1e-11)
            close(logs, log_sum_exp(q, k, mask), 1e-11)
    q, k, v = 30 + abs(q), -30 - 0.01 * abs(k), v  # every score is below -1800
    close(attend(q, k, v, 4)[0], scaled_dot_product_attention(q, k, v)[0], 1e-9)


def test_merging_parts_is_exact_in_any_order():
    merging_is_exact()


def test_blocks_are_exact_whatever_their_size():
    blocks_are_exact()


def test_merging_can_go_on_with_what_was_merged():
    q, k, v = qkv()
    contexts, logs = cut(q, k, v, None, (2, 5, 9))
    pairs = [merge_partials(contexts[a], logs[a]) for a in ([0, 3], [1, 2])]
    context, log = merge_partials(*map(np.stack, zip(*pairs, strict=True)))
    close(context, scaled_dot_product_attention(q, k, v)[0])
    close(log, log_sum_exp(q, k, None))


def test_a_scale_of_ones_own():
    q, k, v = qkv()
    wanted = scaled_dot_product_attention(q, k, v, scale=0.3)[0]
    close(partial_attention(q, k, v, 0.3)[0], wanted)
    close(attention_in_blocks(q, k, v, 4, 0.3)[0], wanted)
    close(attention_in_blocks(q, k, v, 4, 0.3)[1], log_sum_exp(q, k, None, 0.3))


@pytest.mark.parametrize("attend", [partial_attention, lambda *x: attention_in_blocks(*x, 3)])
def test_no_keys_give_zeros_and_minus_infinity(attend):
    context, logs = attend(*qkv(n_k=0))
    assert not context.any()
    assert np.all(logs == -np.inf)
    assert context.shape == (2, 3, N_Q, D_V)


def test_parts_that_saw_nothing_change_nothing():
    q, k, v = qkv()
    (context, log), empty = partial_attention(q, k, v), partial_attention(*qkv(n_k=0))
    merged = merge_partials(np.stack([empty[0], context]), np.stack([empty[1], log]))
    np.testing.assert_array_equal(merged[0], context)
    np.testing.assert_array_equal(merged[1], log)
    nothing = merge_partials(np.stack([empty[0]] * 2), np.stack([empty[1]] * 2))
    assert not nothing[0].any()
    assert np.all(nothing[1] == -np.inf)


def test_scores_of_thousands_neither_overflow_nor_vanish():
    q, k, v = np.full((1, 1), 60.0), np.array([[-50.0], [-49.9]]), np.eye(2)
    for context, log in (partial_attention(q, k, v), attention_in_blocks(q, k, v, 1)):
        weight = np.exp(-60 * 0.1) / (1 + np.exp(-60 * 0.1))
        close(context, [[weight, 1 - weight]], 1e-9)
        close(log, [-49.9 * 60 + np.log1p(np.exp(-6))], 1e-9)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_contexts_keep_the_format_and_sums_are_no_half_precision(dtype):
    q, k, v = qkv(dtype=dtype)
    for found in (partial_attention(q, k, v), attention_in_blocks(q, k, v, 4)):
        assert found[0].dtype == dtype
        assert found[1].dtype == max(dtype, np.float32, key=lambda x: np.dtype(x).itemsize)
    merged = merge_partials(*cut(q, k, v, None, (3,)))
    assert merged[0].dtype == dtype
    limit = {np.float16: 4e-3, np.float32: 1e-5, np.float64: 1e-12}[dtype]
    close(merged[0], scaled_dot_product_attention(q, k, v)[0], limit)


def test_the_arguments_are_left_alone():
    given = [*qkv(), MASKS["scattered"]]
    before = [x.copy() for x in given]
    attention_in_blocks(*given[:3], 2, mask=given[3])
    partial_attention(*given[:3], mask=given[3])
    for x, y in zip(given, before, strict=True):
        np.testing.assert_array_equal(x, y)


# Wrong versions, and the check that catches each.


def plain_mean(contexts, logs):
    return contexts.mean(axis=0), np.logaddexp.reduce(logs, axis=0)


def shares_without_the_exponential(contexts, logs):
    context = (logs[..., None] * contexts).sum(0) / logs.sum(0)[..., None]
    return context, np.logaddexp.reduce(logs, axis=0)


def the_largest_part_wins(contexts, logs):
    best = logs.argmax(axis=0)
    picked = np.take_along_axis(contexts, best[None, ..., None], 0)[0]
    return picked, np.logaddexp.reduce(logs, axis=0)


def logs_are_added(contexts, logs):
    return merge_partials(contexts, logs)[0], logs.sum(axis=0)


def no_largest_subtracted(contexts, logs):
    shares = np.exp(logs)
    total = shares.sum(axis=0)
    context = (shares[..., None] * contexts).sum(0) / total[..., None]
    return context, np.log(total)


def without_the_largest_score(q, k, v, scale=None, mask=None):
    context, logs = partial_attention(q, k, v, scale, mask)
    scores = np.where(True if mask is None else mask, q @ np.swapaxes(k, -1, -2) / 2, -np.inf)
    return context, logs - scores.max(-1, initial=-1e9)


@pytest.mark.parametrize(
    "wrong",
    [
        plain_mean,
        shares_without_the_exponential,
        the_largest_part_wins,
        logs_are_added,
        no_largest_subtracted,
    ],
)
def test_a_wrong_merge_is_caught(wrong):
    with pytest.raises(AssertionError), np.errstate(all="ignore"):
        merging_is_exact(merge=wrong)


def test_a_log_without_the_largest_score_is_caught():
    with pytest.raises(AssertionError), np.errstate(all="ignore"):
        merging_is_exact(partial=without_the_largest_score)


def source_with(old, new):
    """The blocks with one slip in the loop."""
    source = inspect.getsource(online_softmax.attention_in_blocks)
    assert source.count(old) == 1
    names = dict(vars(online_softmax))
    exec(compile(source.replace(old, new), "slip", "exec"), names)

    def attend(q, k, v, block, mask=None):
        return names["attention_in_blocks"](q, k, v, block, None, mask)

    return attend


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("total = fade * total + ", "total = total + "),
        ("acc = fade[..., None] * acc + ", "acc = acc + "),
        ("np.maximum(top, scores.max(axis=-1))", "scores.max(axis=-1)"),
        ("np.maximum(top, scores.max(axis=-1))", "np.maximum(top, scores.max())"),
        ("np.finfo(q.dtype).min", "0.0"),
        ("np.finfo(q.dtype).min", "-np.inf"),
        ("np.maximum(total, 1)", "total"),
        ("mask[..., part]", "mask[..., :block]"),
        ("range(0, k.shape[-2],", "range(0, k.shape[-2] // block * block or 1,"),
        ("np.exp(top - new_top)", "np.exp(new_top - top)"),
    ],
)
def test_a_slip_in_the_loop_is_caught(old, new):
    with pytest.raises((AssertionError, ValueError)), np.errstate(all="ignore"):
        blocks_are_exact(source_with(old, new))


# Bad input.
