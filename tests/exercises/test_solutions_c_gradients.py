"""The solutions about gradients and blocks agree with torch and with plain loops."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

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
    context = F.scaled_dot_product_attention(*leaves)
    expected = torch.autograd.grad(context, leaves, torch.from_numpy(g))
    for ours, theirs in zip(_answer("attention-backward")(q, k, v, g), expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-9, atol=1e-12)
