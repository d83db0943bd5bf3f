"""The torch layers against the NumPy specification and against torch's own function."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_course import reference
from attention_course.layers.attention import Attention, masked_softmax
from attention_course.layers.scores import AdditiveScore, DotScore, ScaledDotScore

SHAPES = {"batch": 2, "heads": 3, "queries": 5, "keys": 7, "d_k": 11, "d_v": 13}
D_KEY, D_A = 17, 19


def draw(*names, seed=0):
    shape = [SHAPES.get(name, name) for name in names]
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape))


def qkv():
    return (
        draw("batch", "heads", "queries", "d_k", seed=1),
        draw("batch", "heads", "keys", "d_k", seed=2),
        draw("batch", "heads", "keys", "d_v", seed=3),
    )


def random_mask(seed=4):
    rng = np.random.RandomState(seed)
    mask = rng.rand(SHAPES["batch"], 1, SHAPES["queries"], SHAPES["keys"]) < 0.6
    mask[..., 0] = True
    return torch.from_numpy(mask)


def additive():
    generator = torch.Generator().manual_seed(0)
    return AdditiveScore(SHAPES["d_k"], D_KEY, D_A, generator).double()


def same(ours, theirs):
    np.testing.assert_allclose(
        np.asarray(ours.detach()), np.asarray(theirs), rtol=0, atol=1e-10
    )


def test_dot_scores_equal_the_reference():
    q, k, _ = qkv()
    same(DotScore()(q, k), reference.dot_scores(q.numpy(), k.numpy()))


@pytest.mark.parametrize("scale", [None, 1.0, 0.3])
def test_scaled_scores_equal_the_reference(scale):
    q, k, _ = qkv()
    same(ScaledDotScore(scale)(q, k), reference.scaled_dot_scores(q.numpy(), k.numpy(), scale))


def test_additive_scores_equal_the_reference():
    q, k = draw("batch", "queries", "d_k"), draw("batch", "keys", D_KEY)
    score = additive()
    W_q, W_k, w_v = (p.detach().numpy() for p in score.parameters())
    same(score(q, k), reference.additive_scores(q.numpy(), k.numpy(), W_q.T, W_k.T, w_v[0]))


def test_additive_scores_have_three_parameters_and_dot_scores_none():
    assert [name for name, _ in additive().named_parameters()] == [
        "W_q.weight",
        "W_k.weight",
        "w_v.weight",
    ]
    assert not list(ScaledDotScore().parameters())


def test_additive_parameters_come_from_the_generator_alone():
    before = torch.get_rng_state()
    one, two = additive(), additive()
    assert torch.equal(torch.get_rng_state(), before)
    assert all(
        torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True)
    )


@pytest.mark.parametrize("masked", [False, True])
def test_attention_equals_the_reference_and_the_loops(masked):
    q, k, v = qkv()
    mask = random_mask() if masked else None
    context, weights = Attention()(q, k, v, mask)
    expected, expected_weights = reference.scaled_dot_product_attention(
        q.numpy(), k.numpy(), v.numpy(), None if mask is None else mask.numpy()
    )
    same(context, expected)
    same(weights, expected_weights)
    if not masked:
        same(context[1, 2], reference.attention_by_loops(*(t[1, 2].numpy() for t in (q, k, v))))


@pytest.mark.parametrize("masked", [False, True])
def test_attention_and_its_gradients_equal_torch_s_own(masked):
    mask = random_mask() if masked else None
    ours, theirs = ([t.clone().requires_grad_() for t in qkv()] for _ in range(2))
    pull = draw("batch", "heads", "queries", "d_v", seed=9)
    (Attention()(*ours, mask)[0] * pull).sum().backward()
    own = torch.nn.functional.scaled_dot_product_attention(*theirs, attn_mask=mask)
    (own * pull).sum().backward()
    for a, b in zip(ours, theirs, strict=True):
        same(a.grad, b.grad)


def test_query_gradient_of_the_reference_equals_autograd():
    q, k, _ = (t[0, 0] for t in qkv())
    q.requires_grad_()
    pull = draw("queries", "keys", seed=8)
    (Attention()(q, k, k)[1] * pull).sum().backward()
    same(q.grad, reference.query_gradient(q.detach().numpy(), k.numpy(), pull.detach().numpy()))


@pytest.mark.parametrize(
    "make", [DotScore, ScaledDotScore, lambda: AdditiveScore(3, 3, 2).double()]
)
def test_gradients_agree_with_finite_differences(make):
    inputs = [draw(2, 3, seed=1), draw(4, 3, seed=2), draw(4, 2, seed=3)]
    for t in inputs:
        t.requires_grad_()
    mask = torch.tensor([[True, True, False, True], [False, True, True, True]])
    layer = Attention(make())
    assert torch.autograd.gradcheck(lambda q, k, v: layer(q, k, v, mask)[0], inputs)


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


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), shift=st.floats(-50, 50))
def test_weights_sum_to_one_and_ignore_a_shift_of_all_scores(seed, shift):
    scores = draw(5, 7, seed=seed) * 10
    weights = masked_softmax(scores)
    same(weights.sum(-1), np.ones(5))
    same(masked_softmax(scores + shift), weights)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_permuting_keys_and_values_together_changes_nothing(seed):
    q, k, v = (t[0] for t in qkv())
    order = torch.from_numpy(np.random.RandomState(seed).permutation(SHAPES["keys"]))
    same(Attention()(q, k[:, order], v[:, order])[0], Attention()(q, k, v)[0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: DotScore()(torch.ones(2, 3), torch.ones(2, 4)),
            "DotScore: q and k must agree",
        ),
        (lambda: DotScore()(torch.ones(3), torch.ones(2, 3)), "DotScore: q must be "),
        (
            lambda: DotScore()(torch.ones(2, 3, dtype=int), torch.ones(2, 3)),
            "DotScore: q must be ",
        ),
        (
            lambda: DotScore()(torch.ones(2, 3), torch.ones(2, 3).double()),
            "DotScore: q and k must agree in their dtype",
        ),
        (lambda: ScaledDotScore(float("nan")), "ScaledDotScore: scale must be a finite number"),
        (lambda: AdditiveScore(3, 0, 4), "AdditiveScore: d_key must be a positive"),
        (
            lambda: AdditiveScore(3, 4, 5)(torch.ones(2, 3), torch.ones(2, 3)),
            "AdditiveScore: k must be an array with d_key = 4",
        ),
        (
            lambda: Attention()(torch.ones(2, 3), torch.ones(4, 3), torch.ones(5, 3)),
            "Attention: k and v must agree in the number of keys",
        ),
        (
            lambda: masked_softmax(torch.ones(2, 3), torch.ones(3)),
            "masked_softmax: mask must be a boolean tensor",
        ),
        (
            lambda: masked_softmax(torch.ones(2, 3), torch.ones(4, dtype=bool)),
            "masked_softmax: mask must be broadcastable to the scores",
        ),
    ],
)
def test_bad_input_is_refused_with_the_name_the_expected_and_the_actual(call, message):
    with pytest.raises(ValueError, match=message):
        call()
