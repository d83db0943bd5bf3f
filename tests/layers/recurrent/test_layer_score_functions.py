"""Score modules where no number is: features that vanish, places without a score."""

import numpy as np
import pytest
import torch

from attention_course.layers.attention import Attention
from attention_course.layers.recurrent.luong_scores import (
    LocationScore,
)
from attention_course.layers.recurrent.score_functions import CosineScore, KernelScore

D_Q, D_KEY, D_V = 4, 6, 8


def draw(*shape, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape))


def generator():
    return torch.Generator().manual_seed(3)


def same(ours, theirs):
    np.testing.assert_allclose(np.asarray(ours.detach()), theirs, rtol=0, atol=1e-10)


def test_a_very_negative_feature_keeps_its_gradient():
    q = torch.full((1, 2), -60.0, dtype=torch.float64, requires_grad=True)
    KernelScore()(q, torch.zeros(1, 2, dtype=torch.float64)).sum().backward()
    same(q.grad, np.full((1, 2), 0.5))


def test_a_vector_of_zeros_gives_cosine_zero_and_finite_gradients():
    q, k = draw(2, D_Q), torch.zeros(3, D_Q, dtype=torch.float64, requires_grad=True)
    scores = CosineScore()(q, k)
    scores.sum().backward()
    assert torch.all(scores == 0)
    assert torch.isfinite(k.grad).all()


def test_a_row_that_may_only_see_places_without_a_score_gets_zeros():
    layer = Attention(LocationScore(D_Q, 2).double())
    mask = torch.tensor([[False, False, True, True], [True, True, True, True]])
    context, weights = layer(draw(2, D_Q), draw(4, D_KEY), draw(4, D_V), mask)
    assert torch.all(weights[0] == 0)
    assert torch.all(context[0] == 0)
    assert torch.all(weights[1, 2:] == 0)
    same(weights[1].sum(), 1.0)


@pytest.mark.parametrize("beta", [1e-3, 1.0, 40.0, 800.0])
def test_a_learned_strength_starts_where_it_is_told(beta):
    score = CosineScore(beta, D_Q)
    q = torch.randn(3, D_Q, generator=generator())
    expected = np.broadcast_to(beta, (3, 1))
    np.testing.assert_allclose(
        score(q, q[:1]).detach() / CosineScore()(q, q[:1]), expected, 1e-3
    )
