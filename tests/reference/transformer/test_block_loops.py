"""The loops of the Transformer block against torch, formulas and plausible slips."""

import numpy as np
import pytest
import torch
from torch import nn

from attention_course.reference.positions import (
    alibi_by_loops,
    alibi_slopes,
    rotary_angles,
    rotate_by_loops,
    shift_matrix,
    sinusoidal_positions,
)
from attention_course.reference.transformer.transformer_block import (
    block_by_loops,
    feed_forward,
    layer_norm,
)

RNG = np.random.RandomState(0)
X, GAIN, SHIFT = RNG.standard_normal((5, 8)), *RNG.standard_normal((2, 8))


def torch_norm(x, eps=1e-5):
    parts = (torch.from_numpy(p) for p in (GAIN, SHIFT))
    return nn.functional.layer_norm(torch.from_numpy(x), (8,), *parts, eps).numpy()


def test_layer_norm_is_torchs():
    np.testing.assert_allclose(layer_norm(X, GAIN, SHIFT), torch_norm(X), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "slip",
    [
        lambda x: GAIN * (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5) + SHIFT,
        lambda x: GAIN * (x - x.mean(-1, keepdims=True)) / x.std(-1, ddof=1)[:, None] + SHIFT,
        lambda x: GAIN * x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) + SHIFT,
        lambda x: (layer_norm(x, np.ones(8), np.zeros(8)) + SHIFT) * GAIN,
    ],
    ids=["over positions", "n - 1", "no mean", "shift before gain"],
)
def test_slips_in_layer_norm_would_be_noticed(slip):
    assert not np.allclose(slip(X), torch_norm(X), atol=1e-3)


def test_a_constant_vector_is_not_divided_by_zero():
    assert np.array_equal(layer_norm(np.full((1, 8), 3.0), GAIN, SHIFT), SHIFT[None])


def test_feed_forward_is_torchs():
    one, two = nn.Linear(8, 12).double(), nn.Linear(12, 8).double()
    wanted = two(torch.relu(one(torch.from_numpy(X)))).detach().numpy()
    arrays = [p.detach().numpy().T for p in (one.weight, one.bias, two.weight, two.bias)]
    np.testing.assert_allclose(feed_forward(X, *arrays), wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [0, 1, 7, 40])
def test_one_matrix_moves_every_position_on(k):
    p = sinusoidal_positions(60, 12)
    np.testing.assert_allclose(p[: 60 - k] @ shift_matrix(k, 12), p[k:], rtol=0, atol=1e-12)


def test_the_matrix_for_another_distance_does_not():
    p = sinusoidal_positions(60, 12)
    assert not np.allclose(p[:-7] @ shift_matrix(6, 12), p[7:], atol=0.1)
    assert not np.allclose(p[:-7] @ shift_matrix(7, 12).T, p[7:], atol=0.1)


def test_rotation_is_multiplication_of_complex_numbers():
    pairs = X[:, 0::2] + 1j * X[:, 1::2]
    turned = pairs * np.exp(1j * rotary_angles(5, 8, 3))
    wanted = np.stack([turned.real, turned.imag], -1).reshape(5, 8)
    np.testing.assert_allclose(rotate_by_loops(X, 3), wanted, rtol=0, atol=1e-12)


def test_rotated_scores_depend_on_distance_alone_and_lengths_stay():
    q, k = X, X[::-1].copy()
    here, there = (rotate_by_loops(q, s) @ rotate_by_loops(k, s).T for s in (0, 31))
    np.testing.assert_allclose(here, there, rtol=0, atol=1e-10)
    one_sided = rotate_by_loops(q, 31) @ rotate_by_loops(k).T
    assert not np.allclose(here, one_sided, atol=0.1)
    norms = np.linalg.norm(rotate_by_loops(q, 9), axis=1)
    np.testing.assert_allclose(norms, np.linalg.norm(q, axis=1))


def test_alibi_falls_with_distance_at_the_papers_slopes():
    np.testing.assert_allclose(alibi_slopes(8), 0.5 ** np.arange(1, 9))
    bias = alibi_by_loops(4, 6, 2)
    assert bias.shape == (2, 4, 6)
    assert bias[0, 3].tolist() == [-3 / 16, -2 / 16, -1 / 16, 0, -1 / 16, -2 / 16]
