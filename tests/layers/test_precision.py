"""Half precision: never more than twice as far from the exact numbers as torch is."""

import math

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_course.layers.attention import scaled_dot_product_attention
from attention_course.layers.scores import AdditiveScore, ScaledDotScore

HALVES = [torch.float16, torch.bfloat16]
BOTH = torch.ones(9, 11).tril(2).bool() & (torch.arange(11) < torch.tensor([[[[11]]], [[[8]]]]))


def by_torch(q, k, v, mask):
    with sdpa_kernel(SDPBackend.MATH):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, mask)


def numbers(attend, q, k, v):
    """Return the output and the three gradients, all in float64."""
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    output = attend(*leaves, BOTH)
    gradients = torch.autograd.grad((output * torch.cos(torch.arange(16.0))).sum(), leaves)
    return [x.detach().double() for x in (output, *gradients)]


def excess(dtype, size):
    """How many times torch's error ours is, in the worst of output and gradients."""
    drawn = torch.randn(3, 2, 4, 11, 16, generator=torch.Generator().manual_seed(0))
    short = [(x * s).to(dtype) for x, s in zip(drawn, (size, size, 1), strict=True)]
    short[0] = short[0][:, :, :9]
    ours = numbers(lambda *x: scaled_dot_product_attention(*x)[0], *short)
    theirs = numbers(by_torch, *short)
    exact = numbers(by_torch, *(x.double() for x in short))
    rows = zip(ours, theirs, exact, strict=True)
    return max(float((a - c).abs().max() / (b - c).abs().max()) for a, b, c in rows)


@pytest.mark.parametrize("size", [1.0, 20.0**0.5, 20.0])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_the_error_is_at_most_twice_torchs(dtype, size):
    assert excess(dtype, size) <= 2


@pytest.mark.gate("half precision errs as torch does", "scores are rounded before the softmax")
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_scores_in_half_precision_are_noticed(dtype, monkeypatch):
    for module in ("scores", "attention"):
        monkeypatch.setattr(f"attention_course.layers.{module}.upcast_half", lambda x: x)
    assert excess(dtype, 20) > 2


def test_a_dot_product_beyond_float16_is_no_nan():
    q = torch.full((1, 64), 40.0, dtype=torch.float16)
    k, v = torch.cat([q, q / 2]), torch.tensor([[3.0], [5.0]], dtype=torch.float16)
    context, weights = scaled_dot_product_attention(q, k, v)  # q . k is 102400
    assert context.tolist() == [[3.0]]
    assert weights.tolist() == [[1.0, 0.0]]
    assert ScaledDotScore()(q, k).tolist() == [[12800.0, 6400.0]]


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_learned_scores_are_added_up_in_float32(dtype):
    score = AdditiveScore(16, 16, 300, torch.Generator().manual_seed(0)).to(dtype)
    score.w_v.weight.data.fill_(1.0)
    q, k = torch.ones(3, 16, dtype=dtype), torch.ones(5, 16, dtype=dtype)
    exact = (score.W_q(q).double()[:, None] + score.W_k(k).double()).tanh().sum(-1)
    assert (score.compute(q, k).double() - exact).abs().max() < 1e-3
    assert score(q, k).dtype == dtype


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_reaches_the_contexts_that_see_it_and_no_other(bad):
    q, k, v = torch.ones(2, 4), torch.ones(3, 4), torch.ones(3, 6)
    q[1, 0] = bad
    context, _ = scaled_dot_product_attention(q, k, v)
    assert torch.equal(context[0], torch.ones(6))
    assert context[1].isnan().all()
