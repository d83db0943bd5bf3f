"""The torch layers against the NumPy specification and against torch's own function."""

import numpy as np
import torch

from attention_course.layers.attention import Attention, masked_softmax

SHAPES = {"batch": 2, "heads": 3, "queries": 5, "keys": 7, "d_k": 11, "d_v": 13}


def draw(*names, seed=0):
    shape = [SHAPES.get(name, name) for name in names]
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape))


def qkv():
    return (
        draw("batch", "heads", "queries", "d_k", seed=1),
        draw("batch", "heads", "keys", "d_k", seed=2),
        draw("batch", "heads", "keys", "d_v", seed=3),
    )


def test_a_fully_masked_row_gives_zeros_and_no_gradient():
    q, k, v = (t[0, 0].clone().requires_grad_() for t in qkv())
    mask = torch.ones(SHAPES["queries"], SHAPES["keys"], dtype=torch.bool)
    mask[2] = False
    context, weights = Attention()(q, k, v, mask)
    context.sum().backward()
    assert torch.all(context[2] == 0)
    assert torch.all(weights[2] == 0)
    assert torch.all(q.grad[2] == 0)
    assert torch.isfinite(k.grad).all()


def test_half_precision_keeps_a_masked_weight_at_exactly_zero():
    scores = torch.tensor([[6e4, -6e4, 3.0]], dtype=torch.float16)
    weights = masked_softmax(scores, torch.tensor([False, True, True]))
    assert weights[0, 0] == 0
    assert weights.sum() == 1


def test_the_mask_and_the_scores_are_left_as_they_were():
    scores, mask = torch.zeros(2, 3), torch.tensor([True, False, True])
    masked_softmax(scores, mask)
    assert torch.equal(scores, torch.zeros(2, 3))
    assert mask.tolist() == [True, False, True]
