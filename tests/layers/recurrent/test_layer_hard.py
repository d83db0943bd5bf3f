"""Hard attention in torch equals the reference, choices and gradients, to 1e-10."""

import numpy as np
import pytest
import torch

from attention_course.layers.recurrent.hard import (
    GumbelAttention,
    HardAttention,
    reinforce_loss,
)
from attention_course.reference import softmax
from attention_course.reference.recurrent.gumbel import gumbel_noise, straight_through_gradient
from attention_course.reference.recurrent.hard import (
    choose,
    stochastic_gradient_by_loops,
)

DRAW = np.random.RandomState(0)
Q, K, V = (DRAW.standard_normal(s) for s in ((2, 5, 3), (2, 7, 3), (2, 7, 4)))
SCORES = Q @ K.swapaxes(1, 2) / np.sqrt(3)


def tensors():
    return tuple(torch.tensor(x) for x in (Q, K, V))


def test_the_choices_and_contexts_are_the_references():
    context, weights, choices = HardAttention()(*tensors(), np.random.RandomState(4))
    wanted = choose(softmax(SCORES), np.random.RandomState(4).random_sample((2, 5)))

    np.testing.assert_allclose(weights, softmax(SCORES), atol=1e-12)
    np.testing.assert_array_equal(choices, wanted)
    for b in range(2):
        for i in range(5):
            np.testing.assert_array_equal(context[b, i], V[b, wanted[b, i]])


def test_no_gradient_reaches_the_scores_through_a_chosen_context():
    q, k, v = (x.requires_grad_() for x in tensors())
    context, _, _ = HardAttention()(q, k, v, np.random.RandomState(4))
    context.sum().backward()

    assert q.grad is None
    assert k.grad is None
    assert v.grad.sum() == 2 * 5 * 4


def test_evaluation_takes_the_heaviest_and_needs_no_chance():
    for module in (HardAttention(), GumbelAttention(1.0)):
        module.eval()
        rng = np.random.RandomState(0)
        context = module(*tensors(), rng)[0]
        top = SCORES.argmax(-1)
        np.testing.assert_array_equal(context[1, 3], V[1, top[1, 3]])
        assert rng.random_sample() == np.random.RandomState(0).random_sample()


def test_soft_share_keeps_that_part_of_the_batches_soft():
    module, rng = HardAttention(soft_share=0.5), np.random.RandomState(1)
    mixed = torch.tensor(softmax(SCORES) @ V)
    soft = [torch.allclose(module(*tensors(), rng)[0], mixed) for _ in range(200)]
    assert 70 < sum(soft) < 130


@pytest.mark.parametrize("make", [HardAttention, lambda: GumbelAttention(0.5)])
def test_masked_positions_are_never_taken_and_an_empty_row_gives_zeros(make):
    mask = torch.ones(5, 7, dtype=torch.bool)
    mask[:, 2:5] = False
    mask[3] = False
    for seed in range(20):
        q, k, v = (x.requires_grad_() for x in tensors())
        context, weights, _ = make()(q, k, v, np.random.RandomState(seed), mask)
        assert not context[:, 3].any()
        assert not weights[:, :, 2:5].any()
        for b in range(2):
            assert not (context[b, 0] == v[b, 2:5]).all(-1).any()
        (context.sum() + weights.pow(2).sum()).backward()
        assert torch.isfinite(q.grad).all()


def test_the_straight_through_gradient_is_the_references():
    q, k, v = tensors()
    q.requires_grad_()
    context, _, taken = GumbelAttention(0.7)(q, k, v, np.random.RandomState(9))
    up = torch.tensor(DRAW.standard_normal((2, 5, 4)))
    (context * up).sum().backward()

    noise = gumbel_noise((2, 5, 7), np.random.RandomState(9))
    slopes = np.asarray(up) @ V.swapaxes(1, 2)
    by_scores = straight_through_gradient(SCORES, noise, 0.7, slopes)
    np.testing.assert_allclose(q.grad, by_scores @ K / np.sqrt(3), atol=1e-10)
    np.testing.assert_array_equal(
        taken.detach().round().argmax(-1), (SCORES + noise).argmax(-1)
    )


@pytest.mark.parametrize("entropy_weight", [0.0, 0.3])
def test_the_losss_gradient_is_the_papers_rule(entropy_weight):
    e, r = DRAW.standard_normal(6), DRAW.standard_normal(6)
    chosen = np.array([1, 4, 4, 0])
    scores = torch.tensor(e, requires_grad=True)
    rows = scores.softmax(-1).expand(4, 6)
    loss = reinforce_loss(
        rows, torch.tensor(chosen), torch.tensor(r[chosen]), -0.4, 0.7, entropy_weight
    )
    loss.backward()

    rule = stochastic_gradient_by_loops(e, r, chosen, -0.4, 0.7, entropy_weight)
    np.testing.assert_allclose(-scores.grad, rule, atol=1e-10)


def test_the_rewards_own_gradient_goes_to_what_reads_the_choice():
    rewards = torch.tensor([1.0, 2.0], requires_grad=True)
    even = torch.full((2, 3), 1 / 3)
    reinforce_loss(even, torch.tensor([0, 1]), rewards, baseline=5.0).backward()
    assert rewards.grad.tolist() == [-0.5, -0.5]  # no baseline, no log-probability in it


def test_a_weight_that_has_vanished_gives_no_nan():
    scores = torch.tensor([[0.0, -500.0]], requires_grad=True)
    loss = reinforce_loss(
        scores.softmax(-1), torch.tensor([0]), torch.tensor([1.0]), entropy_weight=0.1
    )
    loss.backward()
    assert torch.isfinite(scores.grad).all()
