"""Scaled dot-product attention and its gradient."""

import numpy as np
import pytest
from checks import close, draws
from checks_attention import ATTENTION, BACKWARD, GRADIENT, LOOPS, SIZES

from attention_course.reference import (
    attention_by_loops,
    causal_mask,
    one_query_backward,
    padding_mask,
    query_gradient,
    scaled_dot_product_attention,
)


@pytest.mark.parametrize("check", ATTENTION.values(), ids=ATTENTION)
def test_scaled_dot_product_attention(check):
    check(scaled_dot_product_attention)


@pytest.mark.parametrize("check", LOOPS.values(), ids=LOOPS)
def test_attention_by_loops(check):
    check(attention_by_loops)


@pytest.mark.parametrize("check", GRADIENT.values(), ids=GRADIENT)
def test_query_gradient(check):
    check(query_gradient)


@pytest.mark.parametrize("check", BACKWARD.values(), ids=BACKWARD)
def test_one_query_backward(check):
    check(one_query_backward)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_loops_and_matrices_agree(sizes):
    _, queries, keys, d_k, d_v = sizes
    q, k, v = draws(0, (queries, d_k), (keys, d_k), (keys, d_v))
    close(attention_by_loops(q, k, v), scaled_dot_product_attention(q, k, v)[0], 1e-13)


@pytest.mark.parametrize("batch", [(), (2,), (2, 7)])
def test_a_batch_is_many_attentions(batch):
    q, k, v = draws(1, (*batch, 5, 4), (*batch, 3, 4), (*batch, 3, 6))
    context, _ = scaled_dot_product_attention(q, k, v)
    for index in np.ndindex(*batch):
        close(context[index], attention_by_loops(q[index], k[index], v[index]), 1e-13)


def test_a_padding_mask_is_the_same_as_shorter_keys():
    q, k, v = draws(2, (2, 5, 4), (2, 3, 4), (2, 3, 6))
    mask = padding_mask(np.array([1, 3]), 3)[:, None, :]
    context, _ = scaled_dot_product_attention(q, k, v, mask)
    close(context[0], scaled_dot_product_attention(q[0], k[0, :1], v[0, :1])[0])
    close(context[1], scaled_dot_product_attention(q[1], k[1], v[1])[0])


def test_decoding_one_query_at_a_time_equals_the_causal_mask():
    q, k, v = draws(3, (4, 3), (4, 3), (4, 5))
    whole, _ = scaled_dot_product_attention(q, k, v, causal_mask(4))
    for n in range(1, 5):
        last, _ = scaled_dot_product_attention(q[n - 1 : n], k[:n], v[:n], causal_mask(1, n))
        close(last[0], whole[n - 1])


def test_no_queries_give_no_contexts():
    context, weights = scaled_dot_product_attention(*draws(4, (0, 4), (3, 4), (3, 6)))
    assert (context.shape, weights.shape) == ((0, 6), (0, 3))


def test_the_query_gradient_vanishes_when_one_key_takes_all():
    q, k, g = draws(5, (1, 4), (3, 4), (1, 3))
    assert (
        np.abs(query_gradient(1e4 * q, k, g)).max()
        < 1e-12
        < np.abs(query_gradient(q, k, g)).max()
    )
