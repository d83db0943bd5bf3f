"""Shared keys read once, keys in parts: the same contexts as one softmax over all of them."""

import numpy as np
import pytest
import torch

from attention_course.kernels.decode import (
    attend_to_part,
    grouped_attention,
    repeated_attention,
    split_kv_attention,
)
from attention_course.reference import causal_mask, scaled_dot_product_attention

SIZES = [  # batch, heads, kv_heads, queries, keys, d_k, d_v
    (2, 6, 3, 1, 11, 5, 7),
    (1, 8, 1, 1, 13, 4, 4),
    (3, 4, 4, 2, 9, 5, 3),
    (2, 6, 2, 5, 7, 3, 4),
]


def draw(sizes, dtype=torch.float64, seed=0):
    batch, heads, kv, m, n, d_k, d_v = sizes
    rng = np.random.RandomState(seed)
    shapes = (batch, heads, m, d_k), (batch, kv, n, d_k), (batch, kv, n, d_v)
    return [torch.from_numpy(rng.standard_normal(s)).to(dtype) for s in shapes]


def specified(q, k, v, mask=None, scale=None):
    """The reference, with keys and values repeated for every head."""
    group = q.shape[1] // k.shape[1]
    k, v = (np.repeat(x.double().numpy(), group, axis=1) for x in (k, v))
    return scaled_dot_product_attention(q.double().numpy(), k, v, mask, scale=scale)[0]


def forms(sizes):
    yield grouped_attention, {}
    yield repeated_attention, {}
    for parts in (1, 2, 3, sizes[4] - 1, sizes[4]):
        yield split_kv_attention, {"parts": parts}


@pytest.mark.parametrize("sizes", SIZES)
def test_every_form_is_the_reference(sizes):
    q, k, v = draw(sizes)
    for form, options in forms(sizes):
        for scale in (None, 0.3):
            got = form(q, k, v, scale=scale, **options)
            np.testing.assert_allclose(got, specified(q, k, v, scale=scale), atol=1e-12)


@pytest.mark.parametrize("sizes", [s for s in SIZES if s[3] <= s[4]])
def test_causal_is_aligned_at_the_last_key(sizes):
    q, k, v = draw(sizes)
    wanted = specified(q, k, v, causal_mask(sizes[3], sizes[4]))
    np.testing.assert_allclose(grouped_attention(q, k, v, causal=True), wanted, atol=1e-12)


def test_large_scores_neither_overflow_nor_vanish():
    q, k, v = draw(SIZES[0])
    for form, options in forms(SIZES[0]):
        for shift in (3e3, -3e3):
            got = form(shift * q, k, v, **options)
            np.testing.assert_allclose(got, specified(shift * q, k, v), atol=1e-9)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_errs_at_most_twice_as_much_as_repeating(dtype):
    q, k, v = draw((2, 6, 3, 1, 500, 64, 64), dtype)
    wanted = torch.from_numpy(specified(q, k, v))

    def error(found):
        return (found.double() - wanted).abs().max()

    base = error(repeated_attention(q, k, v))
    for parts in (1, 4, 7):
        found = split_kv_attention(q, k, v, parts)
        assert found.dtype == dtype
        assert error(found) <= 2 * base
    assert error(grouped_attention(q, k, v)) <= 2 * base


def test_large_queries_and_keys_do_not_overflow_half_precision():
    x = 40 * torch.ones(1, 2, 3, 64, dtype=torch.float16)  # q k is 102400, beyond float16
    v = torch.ones(1, 2, 3, 4, dtype=torch.float16)
    for form, options in forms((1, 2, 2, 3, 3, 64, 4)):
        torch.testing.assert_close(form(x, x, v, **options), v)
    part, log_sums = attend_to_part(x, x, v, 0.125)
    torch.testing.assert_close(part, v)
    assert log_sums.isfinite().all()


def test_shared_keys_are_not_copied():
    """What a product of one query row per head allocates has no more bytes than scores."""
    q, k, v = draw((1, 32, 4, 1, 4096, 64, 64), torch.float32)
    assert _allocated(grouped_attention, q, k, v) < 0.9 * k.nbytes
    assert _allocated(repeated_attention, q, k, v) > 2 * 8 * k.nbytes
    assert _allocated(split_kv_attention, q, k, v, 16) < 0.9 * k.nbytes


def _allocated(form, *given):
    with torch.profiler.profile(profile_memory=True) as profile:
        form(*given)
    return sum(max(0, e.self_cpu_memory_usage) for e in profile.key_averages())


def test_the_weight_of_a_part_is_the_sum_of_its_exponentials():
    q, k, v = (x[0, 0] for x in draw((1, 1, 1, 2, 5, 3, 4)))
    context, log_sum = attend_to_part(q, k, v, 0.5)
    exps = np.exp(0.5 * q.numpy() @ k.numpy().T)
    np.testing.assert_allclose(log_sum, np.log(exps.sum(1)), atol=1e-12)
    np.testing.assert_allclose(context, exps / exps.sum(1, keepdims=True) @ v.numpy())


@pytest.mark.parametrize("form", [grouped_attention, repeated_attention])
def test_heads_that_do_not_divide_are_refused(form):
    q, k = torch.ones(1, 6, 1, 4), torch.ones(1, 4, 9, 4)
    with pytest.raises(ValueError, match=f"{form.__name__}: .*divide"):
        form(q, k, k)


@pytest.mark.parametrize(("parts", "says"), [(10, "at most 9, got 10"), (0, "parts")])
def test_more_parts_than_keys_are_refused(parts, says):
    q, k = torch.ones(1, 6, 1, 4), torch.ones(1, 2, 9, 4)
    with pytest.raises(ValueError, match=f"split_kv_attention: .*{says}"):
        split_kv_attention(q, k, k, parts)
