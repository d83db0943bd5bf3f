"""The torch module against the loops, torch's own module, and shared keys and values."""

import numpy as np
import pytest
import torch
from torch import nn

from attention_course.layers.transformer.multi_head import (
    MultiHeadAttention,
    share_keys_values,
)
from attention_course.layers.transformer.transformer_block import BlockAttention

BATCH, N_Q, N_K, D_MODEL, HEADS = 2, 5, 7, 24, 4
MATRICES = ("W_q", "W_k", "W_v", "W_o")


def draw(*shape, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape))


def ours(seed=0, **more):
    generator = torch.Generator().manual_seed(seed)
    return MultiHeadAttention(D_MODEL, HEADS, generator=generator, **more).double()


def inputs():
    return draw(BATCH, N_Q, D_MODEL, seed=1), draw(BATCH, N_K, D_MODEL, seed=2)


def same(one, other, atol=1e-10):
    one, other = (np.asarray(x.detach() if torch.is_tensor(x) else x) for x in (one, other))
    np.testing.assert_allclose(one, other, rtol=0, atol=atol)


def mask_with_an_axis_for_heads():
    seen = torch.tensor([3, 7])[:, None] > torch.arange(N_K)
    return seen[:, None, None, :]


def theirs(bias=True):
    torch.manual_seed(3)
    module = nn.MultiheadAttention(D_MODEL, HEADS, bias=bias, batch_first=True).double()
    for parameter in module.parameters():  # its biases start at zero: a test would miss them
        parameter.data.normal_(generator=torch.Generator().manual_seed(4))
    return module


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("masked", [None, "causal", "padding"])
def test_it_equals_torch_s_own_with_all_gradients(bias, masked):
    other = theirs(bias)
    layer = MultiHeadAttention.from_torch(other)
    mine, yours = ([x.clone().requires_grad_() for x in inputs()] for _ in range(2))
    causal = torch.ones(N_Q, N_K).tril(N_K - N_Q).bool()
    padding = mask_with_an_axis_for_heads()
    mask = {"causal": causal, "padding": padding}.get(masked)
    more = {
        "causal": {"attn_mask": ~causal},
        "padding": {"key_padding_mask": ~padding[:, 0, 0]},
    }
    output, weights = layer(*mine, mask)
    expected, their_weights = other(
        yours[0], yours[1], yours[1], average_attn_weights=False, **more.get(masked, {})
    )
    same(output, expected)
    same(weights, their_weights)
    pull = draw(*output.shape, seed=9)
    (output * pull).sum().backward()
    (expected * pull).sum().backward()
    for a, b in zip(mine, yours, strict=True):
        same(a.grad, b.grad)
    stacked = torch.cat([getattr(layer, n).weight.grad for n in MATRICES[:3]])
    same(stacked, other.in_proj_weight.grad)
    same(layer.W_o.weight.grad, other.out_proj.weight.grad)
    if bias:
        stacked = torch.cat([getattr(layer, n).bias.grad for n in MATRICES[:3]])
        same(stacked, other.in_proj_bias.grad)


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_shared_keys_equal_torch_s_grouped_attention(kv_heads):
    layer, (x_q, x_kv) = ours(n_kv_heads=kv_heads), inputs()
    q = layer.W_q(x_q).unflatten(-1, (HEADS, -1)).transpose(1, 2)
    k, v = (
        W(x_kv).unflatten(-1, (kv_heads, -1)).transpose(1, 2) for W in (layer.W_k, layer.W_v)
    )
    context = nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    same(layer(x_q, x_kv)[0], layer.W_o(context.transpose(1, 2).flatten(2)))


def test_a_query_that_may_see_nothing_gets_zeros_and_finite_gradients():
    layer, (x_q, x_kv) = ours(), inputs()
    mask = torch.ones(N_Q, N_K, dtype=torch.bool)
    mask[2] = False
    x_kv.requires_grad_()
    output, weights = layer(x_q, x_kv, mask)
    output.sum().backward()
    assert not output[:, 2].any()
    assert not weights[:, :, 2].any()
    assert torch.isfinite(x_kv.grad).all()


@pytest.fixture
def untyped():
    """Switch the shape annotations off: the module must refuse by itself."""
    jaxtyping = pytest.importorskip("jaxtyping")
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.mark.usefixtures("untyped")
def test_bad_inputs_are_named():
    layer = ours()
    for bad, message in [
        ({"x_q": draw(5, 23)}, r"x_q must be an array with d_model = 24, got shape \(5, 23\)"),
        ({"x_q": draw(5, 24), "x_kv": draw(24)}, r"x_kv must be .*, got shape \(24,\)"),
        (
            {"x_q": draw(5, 24), "x_kv": draw(7, 24), "mask": draw(7, 24)},
            r"mask must be a boolean tensor \(True = may attend\), got dtype torch.float64",
        ),
        (
            {"x_q": draw(5, 24), "x_kv": draw(7, 24), "x_v": draw(5, 24)},
            "x_kv and x_v must agree in the number of keys",
        ),
        (
            {"x_q": draw(5, 24), "keep": torch.ones(4)},
            "keep must be a boolean tensor .*, got dtype torch.float",
        ),
    ]:
        with pytest.raises(ValueError, match=f"MultiHeadAttention: {message}"):
            layer(**bad)
    extra = nn.MultiheadAttention(24, 4, add_bias_kv=True)
    with pytest.raises(ValueError, match="theirs must have one width and no extra key, got"):
        MultiHeadAttention.from_torch(extra)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("left", [1, 2, 4])
def test_pooled_heads_are_the_means_of_their_groups(left, bias):
    layer = ours(bias=bias)
    if bias:
        nn.init.normal_(layer.W_k.bias)
    old = {n: x.detach().clone() for n, x in layer.named_parameters()}
    share_keys_values(layer, left)
    width = D_MODEL // HEADS
    for name, x in layer.named_parameters():
        if name.startswith(("W_k", "W_v")):
            rows = old[name].reshape(left, HEADS // left, width, -1)
            same(x.reshape(left, width, -1), rows.mean(1), 1e-15)
        else:
            same(x, old[name], 0)
    assert layer(draw(BATCH, N_Q, D_MODEL))[1].shape == (BATCH, HEADS, N_Q, N_Q)


def test_the_first_of_a_group_and_new_ones():
    layer, other = ours(), ours()
    old = layer.W_v.weight.detach().clone()
    share_keys_values(layer, 2, "first")
    same(layer.W_v.weight, old[[0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17]], 0)
    share_keys_values(other, 2, "random", torch.Generator().manual_seed(3))
    assert other.W_v.weight.abs().max() <= D_MODEL**-0.5
    assert (other.W_v.weight - layer.W_v.weight).abs().min() > 0


def test_heads_that_are_alike_lose_nothing_by_their_mean():
    layer, x = ours(), draw(BATCH, N_Q, D_MODEL)
    with torch.no_grad():
        for W in (layer.W_k, layer.W_v):
            W.weight.copy_(W.weight[: D_MODEL // HEADS].repeat(HEADS, 1))
    before = layer(x)[0]
    share_keys_values(layer, 1)
    same(layer(x)[0], before)


def test_a_block_keeps_only_the_heads_that_are_left():
    layer, x = BlockAttention(D_MODEL, HEADS).double(), draw(BATCH, N_Q, D_MODEL)
    share_keys_values(layer, 2)
    seen = layer.keys_and_values(x)
    assert seen.k.shape == (BATCH, 2, N_Q, D_MODEL // HEADS)
    same(layer.look(x, seen)[0], layer(x)[0])


@pytest.mark.parametrize(
    ("left", "how"), [(3, "mean"), (0, "mean"), (True, "mean"), (2, "sum")]
)
def test_what_cannot_be_shared_is_refused(left, how):
    with pytest.raises(ValueError, match="share_keys_values: "):
        share_keys_values(ours(), left, how)
