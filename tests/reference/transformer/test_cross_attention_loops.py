"""Masked and cross-attention by loops against torch and NumPy, and what each refuses."""

import numpy as np
import pytest
import torch
from checks import close, draws, holds_for
from hypothesis import strategies as st

from attention_course.reference import (
    causal_mask,
    cross_attention_by_loops,
    masked_attention_by_loops,
    scaled_dot_product_attention,
    window_mask,
)


def _qkv(seed, queries=5, keys=3, d_k=4, d_v=6):
    return draws(seed, (queries, d_k), (keys, d_k), (keys, d_v))


def the_vectorised_is_the_loop(loops, seed):
    q, k, v = _qkv(seed)
    mask = np.random.RandomState(seed).random_sample((5, 3)) < 0.5  # empty rows too
    both = loops(q, k, v, mask), scaled_dot_product_attention(q, k, v, mask)
    for ours, theirs in zip(*both, strict=True):
        close(ours, theirs)


def torch_is_the_loop(loops, seed):
    q, k, v = _qkv(seed, 4, 7)
    mask = np.random.RandomState(seed).random_sample((4, 7)) < 0.5
    mask[:, 2] = True
    wanted = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (q, k, v)), attn_mask=torch.from_numpy(mask)
    )
    close(loops(q, k, v, mask)[0], wanted.numpy())


CHECKS = [
    holds_for(st.integers(0, 2**16), examples=30)(check)
    for check in (the_vectorised_is_the_loop, torch_is_the_loop)
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
def test_masked_attention_by_loops(check):
    check(masked_attention_by_loops)


def _by(weights):
    def loops(q, k, v, mask):
        alpha = weights(q @ k.T / np.sqrt(q.shape[1]), mask)
        return alpha @ v, alpha

    return loops


def after(e, mask):
    exps = np.exp(e - e.max(axis=1, keepdims=True))
    return mask * exps / exps.sum(axis=1, keepdims=True)


def zeros(e, mask):
    return after(np.where(mask, e, 0.0), np.ones_like(mask))


def inverted(e, mask):
    return masked_attention_by_loops(e, np.eye(e.shape[1]), np.eye(e.shape[1]), ~mask)[1]


def transposed(e, mask):
    return after(np.where(mask[::-1], e, -1e9), np.ones_like(mask))


@pytest.mark.parametrize("wrong", [after, zeros, inverted, transposed])
@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
def test_a_wrong_mask_is_caught(check, wrong):
    with pytest.raises(AssertionError):
        check(_by(wrong))


def test_a_uniform_empty_row_is_caught():
    def uniform(e, mask):
        return after(np.where(mask, e, -1e9), np.ones_like(mask))

    with pytest.raises(AssertionError):
        CHECKS[0](_by(uniform))


def _cross(seed):
    shapes = [(5, 6), (7, 4), (3, 6, 2), (3, 4, 2), (3, 4, 8), (3, 8, 6)]
    return draws(seed, *shapes)


def test_cross_attention_adds_up_its_heads():
    x, memory, W_q, W_k, W_v, W_o = _cross(0)
    mask = np.random.RandomState(1).random_sample((5, 7)) < 0.6
    z, weights = cross_attention_by_loops(x, memory, W_q, W_k, W_v, W_o, mask)
    context, alpha = scaled_dot_product_attention(x @ W_q, memory @ W_k, memory @ W_v, mask)
    close(weights, alpha)
    # Concatenated heads times one tall matrix, as the paper writes it.
    close(z, context.transpose(1, 0, 2).reshape(5, 24) @ W_o.reshape(24, 6))


def test_without_a_mask_every_position_is_seen():
    arrays = _cross(1)
    everything = np.ones((5, 7), dtype=bool)
    close(
        cross_attention_by_loops(*arrays)[0], cross_attention_by_loops(*arrays, everything)[0]
    )


def test_a_window_as_wide_as_the_sequence_is_the_causal_mask():
    for queries, keys in ((1, 1), (4, 4), (3, 7)):
        assert np.array_equal(window_mask(keys, queries, keys), causal_mask(queries, keys))


@pytest.mark.parametrize("width", [1, 2, 3, 9])
def test_a_window_shows_the_last_few_keys(width):
    mask = window_mask(width, 4, 6)
    assert mask.dtype == np.bool_
    for i, row in enumerate(mask):
        at = i + 2  # aligned at the bottom right
        assert np.flatnonzero(row).tolist() == list(range(max(0, at - width + 1), at + 1))


Q, K, V = np.ones((5, 4)), np.ones((3, 4)), np.ones((3, 6))
