"""The solutions about gradients and blocks agree with torch and with plain loops."""

import numpy as np
import pytest
import torch

from attention_course.exercises import exercise_named, runner


def _answer(slug):
    exercise = exercise_named(slug)
    return runner.load(exercise.solution)[exercise.target]


def _draw(batch, n_queries, n_keys, d_k, d_v, seed=0):
    rng = np.random.RandomState(seed)
    q = rng.standard_normal((*batch, n_queries, d_k))
    k = rng.standard_normal((*batch, n_keys, d_k))
    v = rng.standard_normal((*batch, n_keys, d_v))
    return q, k, v, rng.standard_normal((*batch, n_queries, d_v))


@pytest.mark.parametrize("batch", [(), (2,), (3, 2)])
@pytest.mark.parametrize("sizes", [(5, 7, 3, 4), (1, 6, 2, 3), (4, 1, 3, 2), (4, 4, 4, 4)])
def test_the_backward_pass_by_hand_agrees_with_autograd(batch, sizes):
    q, k, v, g = _draw(batch, *sizes)
    leaves = [torch.from_numpy(x.copy()).requires_grad_() for x in (q, k, v)]
    context = torch.nn.functional.scaled_dot_product_attention(*leaves)
    expected = torch.autograd.grad(context, leaves, torch.from_numpy(g))
    for ours, theirs in zip(_answer("attention-backward")(q, k, v, g), expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("lengths", [(7,), (3, 1, 5), (0, 2, 0, 4), (4, 4, 4)])
@pytest.mark.parametrize("spread", [1.0, 100.0])
def test_attention_in_blocks_agrees_with_attention_over_all_keys(lengths, spread):
    q, k, v, _ = _draw((), 4, sum(lengths), 4, 6, seed=len(lengths))
    q = spread * q
    cuts = np.cumsum(lengths)[:-1]
    blocks = tuple(zip(np.split(k, cuts), np.split(v, cuts), strict=True))
    context, log_sums = _answer("online-softmax")(q, blocks)
    scores = torch.from_numpy(q @ k.T / 2)
    np.testing.assert_allclose(log_sums, scores.logsumexp(dim=1).numpy())
    expected = scores.softmax(dim=1) @ torch.from_numpy(v)
    np.testing.assert_allclose(context, expected.numpy(), atol=1e-12)
