"""Recurrences and steadied softmax in torch: equal to the reference, causal, with gradients."""

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize, silu

from attention_course import reference
from attention_course.layers import RecurrentAttention, SteadyAttention
from attention_course.layers.positions import RotaryPositions
from attention_course.layers.scale.delta_rule import gated_delta_from_logs
from attention_course.layers.transformer.transformer_block import BlockAttention


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.RandomState(seed + sum(shape)).standard_normal(shape))


def same(ours, wanted) -> None:
    np.testing.assert_allclose(ours.detach().numpy(), wanted, rtol=0, atol=1e-10)


def given(n: int = 40) -> list[torch.Tensor]:
    q, k, v = draw(2, 3, n, 4), draw(2, 3, n, 4, seed=1), draw(2, 3, n, 5)
    return [
        q,
        normalize(k, dim=-1),
        v,
        draw(2, 3, n).sigmoid(),
        draw(2, 3, n, seed=1).sigmoid(),
    ]


@pytest.mark.parametrize("erase", [True, False])
@pytest.mark.parametrize("size", [1, 7, 32, 64])
def test_chunks_are_the_loop(erase, size):
    *parts, decay = given()
    found = gated_delta_from_logs(*parts, decay.log(), erase, size)
    same(found, reference.gated_delta_rule(*(x.numpy() for x in (*parts, decay)), erase))


def test_a_step_that_forgets_everything_has_finite_gradients():
    q, k, v, beta, decay = given()
    log_decay = decay.log()
    log_decay[..., 20] = -200.0
    leaves = [x.requires_grad_() for x in (q, k, v, beta, log_decay)]
    gated_delta_from_logs(*leaves).square().sum().backward()
    assert all(x.grad.isfinite().all() for x in leaves)


def look(attention, x):
    mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    return attention.look(x, attention.keys_and_values(x), mask)[0]


@pytest.mark.parametrize("erase", [True, False])
@pytest.mark.parametrize("decay", [True, False])
def test_a_layer_is_the_rule_between_projections(erase, decay):
    torch.manual_seed(0)
    attention, x = RecurrentAttention(12, 3, erase, decay).double(), draw(2, 9, 12)
    q, k, v = (
        W(x).unflatten(-1, (3, 4)).transpose(1, 2)
        for W in (attention.W_q, attention.W_k, attention.W_v)
    )
    q, k = normalize(silu(q), dim=-1), normalize(silu(k), dim=-1)
    beta = attention.W_beta(x).sigmoid().mT
    kept = attention.W_alpha(x).sigmoid().mT if decay else torch.ones_like(beta)
    rows = (a.detach().numpy() for a in (q, k, v, beta, kept))
    context = reference.gated_delta_rule(*rows, erase)
    eps = np.finfo(np.float64).eps
    context = reference.rms_norm(context, np.ones(4), eps)
    joined = torch.from_numpy(context).transpose(1, 2).flatten(2)
    same(look(attention, x), attention.W_o(joined).detach().numpy())


@pytest.mark.parametrize("short", [1, 3])
def test_no_position_sees_what_comes_later(short):
    attention, x = RecurrentAttention(12, 3, True, True, short).double(), draw(1, 50, 12)
    before = look(attention, x)[:, :37]
    x[:, 37:] += 1
    same(look(attention, x)[:, :37], before.detach().numpy())


def steady(**more):
    torch.manual_seed(0)
    attention = SteadyAttention(12, 3, RotaryPositions(), **more).double()
    plain = BlockAttention(12, 3, False, RotaryPositions()).double()
    plain.load_state_dict(
        {n: w for n, w in attention.state_dict().items() if n in plain.state_dict()}
    )
    return attention, plain


def test_without_anything_it_is_plain_attention():
    attention, plain = steady()
    x = draw(2, 7, 12)
    same(look(attention, x), look(plain, x).detach().numpy())


@pytest.mark.parametrize("norm", [True, False])
def test_norm_and_cap_are_those_of_the_reference(norm):
    attention, _ = steady(norm=norm, cap=1.5)
    x = 3 * draw(2, 7, 12)
    split = [W(x).unflatten(-1, (3, 4)).transpose(1, 2) for W in (attention.W_q, attention.W_k)]
    if norm:
        eps = np.finfo(np.float64).eps
        gains = [part.weight.detach().numpy() for part in attention.norms]
        rows = [
            reference.rms_norm(a.detach().numpy(), g, eps)
            for a, g in zip(split, gains, strict=True)
        ]
        split = [torch.from_numpy(a) for a in rows]
    q, k = (attention.positions.turn(a).detach().numpy() for a in split)
    v = attention.W_v(x).unflatten(-1, (3, 4)).transpose(1, 2).detach().numpy()
    scores = reference.soft_cap(q @ np.swapaxes(k, -1, -2) / 2, 1.5)
    context = reference.softmax(scores, mask=reference.causal_mask(7)) @ v
    joined = torch.from_numpy(context).transpose(1, 2).flatten(2)
    same(look(attention, x), attention.W_o(joined).detach().numpy())
    assert float(attention.largest) <= 1.5


def test_a_gate_multiplies_the_contexts():
    attention, plain = steady(gate=True)
    x = draw(2, 7, 12)
    with torch.no_grad():
        attention.W_g.weight.zero_()
        attention.W_g.bias.fill_(-1.0)
    share = 1 / (1 + np.exp(1.0))
    same(look(attention, x), share * look(plain, x).detach().numpy())
