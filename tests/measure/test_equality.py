"""What is not equal is never timed: wrong outputs, wrong gradients, a look ahead."""

import math

import pytest
import torch

from attention_course.measure import equivalence

N, D = 24, 8


def eager(q, k, v):
    scores = q @ k.mT / math.sqrt(D)
    ahead = torch.ones(N, N, dtype=torch.bool).triu(1)
    return scores.masked_fill(ahead, -torch.inf).softmax(dim=-1) @ v


@pytest.fixture
def inputs():
    rng = torch.Generator().manual_seed(0)
    return [torch.randn(2, 3, N, D, generator=rng) for _ in range(3)]


def verdict(call, inputs, **more):
    settings = {"eager": eager, "causal": True} | more
    return equivalence(call, eager, inputs, **settings)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_the_same_in_another_order_is_equal_in_every_format(inputs, dtype):
    def in_another_order(q, k, v):
        return eager(q.flip(-1), k.flip(-1), v)

    assert verdict(in_another_order, [x.to(dtype) for x in inputs]).holds


WRONG = {
    "no scale": lambda q, k, v: eager(q * math.sqrt(D), k, v),
    "scale of the wrong width": lambda q, k, v: eager(q * math.sqrt(D / (D + 1)), k, v),
    "half the keys": lambda q, k, v: eager(q, k, v * (torch.arange(N) < N // 2)[:, None]),
    "one wrong entry": lambda q, k, v: eager(q, k, v) + 1e-2 * (torch.arange(D) == 3),
    "not a number": lambda q, k, v: eager(q, k, v) * torch.nan,
}


@pytest.mark.gate("equality before timing: output", "five wrong forms of attention")
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_output_is_noticed(inputs, wrong):
    found = verdict(WRONG[wrong], inputs)
    assert not found.holds
    assert not found.output[0] <= found.output[1]


@pytest.mark.gate("equality before timing: gradients", "a gradient that is cut off")
def test_a_wrong_gradient_is_noticed_and_can_be_left_out(inputs):
    def cut(q, k, v):
        return eager(q, k + 0 * k, v) * 0.5 + 0.5 * eager(q.detach(), k, v)

    assert not verdict(cut, inputs).holds
    assert verdict(cut, inputs, gradients=False).holds


@pytest.mark.gate("equality before timing: causality", "keys one step ahead")
def test_a_look_ahead_is_noticed_even_where_the_reference_looks_too(inputs):
    def looks(q, k, v):
        weights = (q @ k.mT / math.sqrt(D)).masked_fill(
            torch.ones(N, N, dtype=torch.bool).triu(2), -torch.inf
        )
        return weights.softmax(dim=-1) @ v

    def falls_over(q, k, v):
        return eager(q, k, v) + torch.where(v.max() > 6, torch.nan, 0.0)

    for way in (looks, falls_over):
        found = equivalence(way, way, inputs, causal=True)
        assert found.causal is False
        assert not found.holds
    assert verdict(eager, inputs).causal is True
    assert verdict(eager, inputs, causal=False).causal is None


def test_unequal_lengths_are_aligned_at_the_end(inputs):
    def few(q, k, v):
        scores = q @ k.mT
        ahead = torch.ones(5, N, dtype=torch.bool).triu(1 + N - 5)
        return scores.masked_fill(ahead, -torch.inf).softmax(dim=-1) @ v

    short = [inputs[0][..., -5:, :], *inputs[1:]]
    assert equivalence(few, few, short, causal=True).holds


def test_the_bound_is_twice_the_error_of_the_eager_form(inputs):
    halves = [x.half() for x in inputs]

    def rough(q, k, v):
        return eager(q.bfloat16(), k.bfloat16(), v.bfloat16()).half()

    found = verdict(rough, halves)
    exact = eager(*(x.double() for x in halves))
    own = (eager(*halves).double() - exact).abs().max().item()
    half_a_unit = 2**-11 * exact.abs().max().item()
    assert found.output[1] == pytest.approx(2 * own + half_a_unit)
    assert not found.holds


def test_nothing_to_compare_is_refused():
    with pytest.raises(ValueError, match="equivalence: expected floating-point inputs"):
        equivalence(eager, eager, [])
    with pytest.raises(ValueError, match=r"torch\.int64"):
        equivalence(eager, eager, [torch.arange(3)])
