"""The torch layer of self-attention against the loops, torch's own function and properties."""

import numpy as np
import pytest
import torch

from attention_course.layers.transformer.self_attention import SelfAttention
from attention_course.reference import causal_mask, self_attention_by_loops

N, D_MODEL, D_K, D_V = 7, 6, 4, 5
CAUSAL = torch.from_numpy(causal_mask(N))


def layer(seed=0):
    return SelfAttention(D_MODEL, D_K, D_V, np.random.RandomState(seed)).double()


def sentence(seed=1, *batch):
    return torch.from_numpy(np.random.RandomState(seed).standard_normal((*batch, N, D_MODEL)))


def matrices(module):
    return [W.detach().numpy() for W in (module.W_q, module.W_k, module.W_v)]


@pytest.mark.parametrize("mask", [None, CAUSAL, ~torch.eye(N, dtype=torch.bool)])
def test_values_and_weights_equal_the_loops(mask):
    module, x = layer(), sentence(1, 2, 3)
    context, weights = module(x, mask)
    for place in np.ndindex(2, 3):
        wanted = self_attention_by_loops(
            x[place].numpy(), *matrices(module), None if mask is None else mask.numpy()
        )
        for ours, theirs in zip((context[place], weights[place]), wanted, strict=True):
            np.testing.assert_allclose(ours.detach().numpy(), theirs, atol=1e-10)


@pytest.mark.parametrize("mask", [None, CAUSAL])
def test_values_and_gradients_equal_torchs_own(mask):
    module, x = layer(), sentence(1, 3).requires_grad_()
    ours, _ = module(x, mask)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        x @ module.W_q, x @ module.W_k, x @ module.W_v, attn_mask=mask
    )
    pull = sentence(2, 3)[..., :D_V]
    wrt = [x, *module.parameters()]
    one = torch.autograd.grad((ours * pull).sum(), wrt)
    two = torch.autograd.grad((theirs * pull).sum(), wrt)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-10)
    for a, b in zip(one, two, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-10)


def test_gradients_equal_finite_differences():
    module, x = layer(), sentence().requires_grad_()
    wrt = (x, *module.parameters())
    assert torch.autograd.gradcheck(lambda x, *_: module(x, CAUSAL)[0], wrt)


def test_one_head_of_torchs_multihead_attention_is_the_same():
    module, x = SelfAttention(6, 6, 6, np.random.RandomState(0)).double(), sentence(1, 2)
    theirs = torch.nn.MultiheadAttention(6, 1, bias=False, batch_first=True).double()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([W.t() for W in module.parameters()]))
        theirs.out_proj.weight.copy_(torch.eye(6))
    own, own_weights = theirs(x, x, x, attn_mask=~CAUSAL)  # True = may not attend, there
    context, weights = module(x, CAUSAL)
    torch.testing.assert_close(context, own, rtol=0, atol=1e-10)
    torch.testing.assert_close(weights, own_weights, rtol=0, atol=1e-10)


def test_shuffled_words_give_shuffled_contexts():
    module, x = layer(), sentence()
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    torch.testing.assert_close(module(x[order])[0], module(x)[0][order])


def test_no_output_has_a_gradient_by_a_later_word_and_each_by_every_other():
    module, x = layer(), sentence()
    jacobian = torch.func.jacrev(lambda x: module(x, CAUSAL)[0])(x)
    assert torch.equal(jacobian.abs().sum(dim=(1, 3)) > 0, CAUSAL)


def test_a_changed_word_moves_nothing_before_it_not_by_a_bit():
    module, x = layer(), sentence()
    other = x.clone()
    other[4] += 1.0
    moved = (module(x, CAUSAL)[0] != module(other, CAUSAL)[0]).any(-1)
    assert moved.tolist() == [False] * 4 + [True] * 3


def test_queries_keys_values_and_scores_start_with_variance_one():
    module = SelfAttention(512, 64, 64, np.random.RandomState(0))
    x = torch.from_numpy(np.random.RandomState(1).standard_normal((200, 512))).float()
    q, k, v = x @ module.W_q, x @ module.W_k, x @ module.W_v
    for variance in (q.var(), k.var(), v.var(), (q @ k.t() / 8).var()):
        assert 0.8 < variance < 1.25


def test_the_first_weights_come_from_the_generator_alone():
    before = torch.get_rng_state()
    one, two = layer(3), layer(3)
    assert torch.equal(torch.get_rng_state(), before)
    assert all(
        torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True)
    )
    assert not torch.equal(one.W_q, layer(4).W_q)
    torch.manual_seed(0)
    assert not torch.equal(SelfAttention(4, 4).W_q, SelfAttention(4, 4).W_q)


def test_values_are_as_wide_as_keys_unless_said_otherwise():
    assert SelfAttention(6, 4).W_v.shape == (6, 4)
    assert SelfAttention(6, 4, 9).W_v.shape == (6, 9)


def test_bad_input_is_refused():
    with pytest.raises(
        ValueError, match="SelfAttention: d_k must be a positive whole number, got 0"
    ):
        SelfAttention(4, 0)
    with pytest.raises(
        ValueError, match=r"x must be an array with d_model = 6, got shape \(7, 5\)"
    ):
        layer()(sentence()[:, :5])
    with pytest.raises(ValueError, match="mask must be a boolean tensor"):
        layer()(sentence(), CAUSAL.double())


# The parity table: shapes, masks and dtypes against torch's own two functions.

MASKS = {
    "none": lambda n: None,
    "causal": lambda n: torch.ones(n, n, dtype=torch.bool).tril(),
    "others": lambda n: ~torch.eye(n, dtype=torch.bool) if n > 1 else None,
    "random": lambda n: (
        torch.from_numpy(np.random.RandomState(n).rand(n, n) < 0.5)
        | torch.eye(n, dtype=torch.bool)
    ),
}
TOLERANCE = {
    torch.float64: 1e-10,
    torch.float32: 1e-5,
    torch.bfloat16: 4e-2,
    torch.float16: 5e-3,
}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("batch", [(), (2,), (3, 2)])
@pytest.mark.parametrize(("n", "d_k", "d_v"), [(1, 3, 5), (4, 4, 4), (7, 5, 2)])
def test_parity_with_scaled_dot_product_attention(n, d_k, d_v, batch, mask, dtype):
    rng = np.random.RandomState(n)
    module = SelfAttention(D_MODEL, d_k, d_v, rng).to(dtype)
    x = torch.from_numpy(rng.standard_normal((*batch, n, D_MODEL))).to(dtype)
    allowed = MASKS[mask](n)
    with torch.no_grad():
        ours, weights = module(x, allowed)
        theirs = torch.nn.functional.scaled_dot_product_attention(
            x @ module.W_q, x @ module.W_k, x @ module.W_v, attn_mask=allowed
        )
    assert ours.dtype == weights.dtype == dtype
    torch.testing.assert_close(ours, theirs, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("n", [1, 4, 7])
def test_parity_with_one_head_of_multihead_attention(n, mask, dtype):
    rng = np.random.RandomState(n)
    module = SelfAttention(6, 6, 6, rng).to(dtype)
    x = torch.from_numpy(rng.standard_normal((2, n, 6))).to(dtype)
    theirs = torch.nn.MultiheadAttention(6, 1, bias=False, batch_first=True).to(dtype)
    allowed = MASKS[mask](n)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([W.t() for W in module.parameters()]))
        theirs.out_proj.weight.copy_(torch.eye(6))
        own, own_weights = theirs(x, x, x, attn_mask=None if allowed is None else ~allowed)
        context, weights = module(x, allowed)
    torch.testing.assert_close(context, own, rtol=0, atol=TOLERANCE[dtype])
    torch.testing.assert_close(weights, own_weights, rtol=0, atol=TOLERANCE[dtype])


def test_the_table_would_notice_a_mask_that_is_turned_over():
    module, x = layer(), sentence()
    theirs = torch.nn.functional.scaled_dot_product_attention(
        x @ module.W_q, x @ module.W_k, x @ module.W_v, attn_mask=CAUSAL
    )
    assert (module(x, CAUSAL.t())[0] - theirs).abs().max() > 0.01
