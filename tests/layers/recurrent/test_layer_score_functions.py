"""The torch score modules against the NumPy specification; gradients; wrong builds caught."""

import numpy as np
import pytest
import torch

from attention_course import reference
from attention_course.layers.attention import Attention
from attention_course.layers.recurrent.luong_scores import (
    ConcatScore,
    GeneralScore,
    LocationScore,
)
from attention_course.layers.recurrent.score_functions import CosineScore, KernelScore, positive
from attention_course.layers.scores import AdditiveScore, DotScore

BATCH, QUERIES, KEYS, D_Q, D_KEY, D_A, D_V = 2, 5, 7, 4, 6, 3, 8


def draw(*shape, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape))


def generator():
    return torch.Generator().manual_seed(3)


def learned_cosine(d_q=D_Q):
    score = CosineScore(2.0, d_q).double()
    with torch.no_grad():
        score.w.copy_(draw(d_q, seed=5))
    return score


def strength(score, q):
    return np.log1p(np.exp(q @ score.w.detach().numpy() + score.b.item()))


# Builder, whether the widths may differ, the same in NumPy.
CASES = {
    "general": (
        lambda: GeneralScore(D_Q, D_KEY, generator()),
        D_KEY,
        lambda s, q, k: reference.general_scores(q, k, s.W.detach().numpy()),
    ),
    "concat": (
        lambda: ConcatScore(D_Q, D_KEY, D_A, generator()),
        D_KEY,
        lambda s, q, k: reference.concat_scores(
            q, k, s.W.detach().numpy(), s.w_v.detach().numpy()
        ),
    ),
    "location": (
        lambda: LocationScore(D_Q, 9, generator()),
        D_KEY,
        lambda s, q, k: reference.location_scores(q, k, s.W.detach().numpy()),
    ),
    "location, too short": (
        lambda: LocationScore(D_Q, 3, generator()),
        D_KEY,
        lambda s, q, k: reference.location_scores(q, k, s.W.detach().numpy()),
    ),
    "cosine": (
        lambda: CosineScore(2.5),
        D_Q,
        lambda s, q, k: reference.cosine_scores(q, k, 2.5),
    ),
    "cosine, learned": (
        learned_cosine,
        D_Q,
        lambda s, q, k: reference.cosine_scores(q, k, strength(s, q)),
    ),
    "kernel": (KernelScore, D_Q, lambda s, q, k: reference.kernel_scores(q, k)),
}


def same(ours, theirs):
    np.testing.assert_allclose(np.asarray(ours.detach()), theirs, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_scores_equal_the_reference(name):
    make, d_key, wanted = CASES[name]
    score = make().double()
    for batch in ((), (BATCH,), (BATCH, 3)):
        q, k = draw(*batch, QUERIES, D_Q, seed=1), draw(*batch, KEYS, d_key, seed=2)
        same(score(q, k), wanted(score, q.numpy(), k.numpy()))


@pytest.mark.parametrize("name", CASES)
def test_gradients_agree_with_finite_differences(name):
    make, d_key, _ = CASES[name]
    layer = Attention(make().double())
    inputs = [draw(2, D_Q, seed=1), draw(4, d_key, seed=2), draw(4, 2, seed=3)]
    parameters = list(layer.parameters())
    for t in inputs:
        t.requires_grad_()
    mask = torch.tensor([[True, True, False, True], [True, False, True, True]])

    def contexts(*everything):
        return layer(*everything[:3], mask)[0]

    assert torch.autograd.gradcheck(contexts, (*inputs, *parameters))


def test_concat_and_additive_give_the_same_values_and_gradients():
    additive = AdditiveScore(D_Q, D_KEY, D_A, generator()).double()
    concat = ConcatScore(D_Q, D_KEY, D_A).double()
    with torch.no_grad():
        concat.W.copy_(torch.cat([additive.W_q.weight.T, additive.W_k.weight.T]))
        concat.w_v.copy_(additive.w_v.weight[0])
    pull, grads = draw(QUERIES, KEYS, seed=9), []
    for score in (additive, concat):
        q, k = (draw(n, d, seed=d).requires_grad_() for n, d in ((QUERIES, D_Q), (KEYS, D_KEY)))
        (score(q, k) * pull).sum().backward()
        grads.append((q.grad, k.grad))
    for ours, theirs in zip(*grads, strict=True):
        same(ours, theirs.numpy())
    both = torch.cat([additive.W_q.weight.grad.T, additive.W_k.weight.grad.T])
    same(concat.W.grad, both.numpy())


def test_the_weights_of_the_kernel_are_products_over_their_sum():
    q, k, v = draw(QUERIES, D_Q, seed=1), draw(KEYS, D_Q, seed=2), draw(KEYS, D_V, seed=3)
    context, weights = Attention(KernelScore())(q, k, v)
    products = positive(q) @ positive(k).T
    same(weights, (products / products.sum(-1, keepdim=True)).numpy())
    same(context, reference.kernel_attention(q.numpy(), k.numpy(), v.numpy()))


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


@pytest.mark.parametrize(
    "make",
    [CASES["general"][0], CASES["concat"][0], CASES["location"][0]],
)
def test_weights_come_from_the_generator_alone(make):
    before = torch.get_rng_state()
    one, two = make(), make()
    assert torch.equal(torch.get_rng_state(), before)
    for a, b in zip(one.parameters(), two.parameters(), strict=True):
        assert torch.equal(a, b)


def test_parameters_are_those_of_the_formula():
    counts = {name: sum(p.numel() for p in CASES[name][0]().parameters()) for name in CASES}
    assert counts == {
        "general": D_Q * D_KEY,
        "concat": (D_Q + D_KEY) * D_A + D_A,
        "location": D_Q * 9,
        "location, too short": D_Q * 3,
        "cosine": 0,
        "cosine, learned": D_Q + 1,
        "kernel": 0,
    }


# Wrong builds: what one writes by mistake.


class TransposedGeneral(GeneralScore):
    def forward(self, q, k):
        return DotScore()(q @ self.W.T, k)


class KeyFirst(ConcatScore):
    def forward(self, q, k):
        joined = torch.cat(
            [
                k.unsqueeze(-3).expand(*k.shape[:-2], q.shape[-2], *k.shape[-2:]),
                q.unsqueeze(-2).expand(*q.shape[:-1], k.shape[-2], q.shape[-1]),
            ],
            dim=-1,
        )
        return torch.tanh(joined @ self.W) @ self.w_v


class OneStrengthForAll(CosineScore):
    def forward(self, q, k):
        return self.beta * CosineScore()(q, k)


class EluPlusOne(KernelScore):
    def forward(self, q, k):
        q, k = torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1
        return torch.log(q @ k.T)


def test_wrong_builds_differ_from_the_reference():
    q, k, other = draw(5, 4, seed=1), draw(7, 4, seed=2), draw(7, 6, seed=2)
    wrong = [
        (TransposedGeneral(4, 4, generator()).double(), q, k, CASES["general"][2]),
        (KeyFirst(4, 6, 3, generator()).double(), q, other, CASES["concat"][2]),
        (OneStrengthForAll(2.0, 4).double(), q, k, CASES["cosine, learned"][2]),
        (EluPlusOne(), q - 60, k - 60, CASES["kernel"][2]),
    ]
    with torch.no_grad():
        wrong[2][0].w.copy_(draw(4, seed=5))
    for score, queries, keys, wanted in wrong:
        with pytest.raises(AssertionError):
            same(score(queries, keys), wanted(score, queries.numpy(), keys.numpy()))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: GeneralScore(0, 2),
            "GeneralScore: d_q must be a positive whole number, got 0",
        ),
        (lambda: ConcatScore(2, 2, 1.5), "ConcatScore: d_a must be a positive"),
        (lambda: LocationScore(2, True), "LocationScore: longest must be a positive"),
        (
            lambda: GeneralScore(2, 3)(torch.ones(1, 3), torch.ones(1, 3)),
            "GeneralScore: q must be an array with d_q = 2",
        ),
        (
            lambda: ConcatScore(2, 3, 4)(torch.ones(1, 2), torch.ones(1, 2)),
            "ConcatScore: k must be an array with d_key = 3",
        ),
        (
            lambda: LocationScore(2, 3)(torch.ones(1, 3), torch.ones(1, 9)),
            "LocationScore: q must be an array with d_q = 2",
        ),
        (lambda: CosineScore(0.0), "CosineScore: beta must be a positive finite number"),
        (lambda: CosineScore(float("nan")), "CosineScore: beta must be a positive finite"),
        (lambda: CosineScore(1.0, 0), "CosineScore: d_q must be a positive"),
        (
            lambda: CosineScore(1.0, 3)(torch.ones(1, 2), torch.ones(1, 2)),
            "CosineScore: q must be an array with d_k = 3",
        ),
        (
            lambda: CosineScore()(torch.ones(1, 2), torch.ones(1, 3)),
            "CosineScore: q and k must agree",
        ),
        (
            lambda: KernelScore()(torch.ones(1, 2), torch.ones(1, 3)),
            "KernelScore: q and k must agree",
        ),
        (lambda: KernelScore()(torch.ones(2), torch.ones(1, 2)), "KernelScore: q must be a"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
