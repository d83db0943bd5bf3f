"""The three torch layers equal the specification, values and gradients, and torch's own."""

import numpy as np
import pytest
import torch
from torch import nn

from attention_course.layers import NonLocalBlock, SpatialGate, SqueezeAndExcitation
from attention_course.reference import non_local, spatial_gate, squeeze_and_excitation

N, C, H, W, HIDDEN, WIDTH = 2, 6, 4, 5, 3, 7
X = torch.from_numpy(np.random.RandomState(0).standard_normal((N, C, H, W)))


def drawn(layer):
    rng = np.random.RandomState(1)
    for p in layer.parameters():
        p.data = torch.from_numpy(rng.standard_normal(tuple(p.shape)))
    return layer


def arrays(*parameters):
    return [p.detach().numpy().T for p in parameters]


def specification_of(layer, x):
    if isinstance(layer, SpatialGate):
        w, b = arrays(layer.w.weight, layer.w.bias)
        return spatial_gate(x, w[:, 0], float(b[0]))
    if isinstance(layer, SqueezeAndExcitation):
        first, second = layer.W_1, layer.W_2
        given = arrays(first.weight, first.bias, second.weight, second.bias)
        return squeeze_and_excitation(x, *given)
    matrices = (layer.W_q, layer.W_k, layer.W_v, layer.W_z)
    return non_local(x, *arrays(*(W.weight for W in matrices)), layer.way)


LAYERS = {
    "by place": lambda: drawn(SpatialGate(C)),
    "by channel": lambda: drawn(SqueezeAndExcitation(C, HIDDEN)),
    "by pair, softmax": lambda: drawn(NonLocalBlock(C, WIDTH)),
    "by pair, dot product": lambda: drawn(NonLocalBlock(C, WIDTH, "dot product")),
}


@pytest.mark.parametrize("name", LAYERS)
def test_it_equals_the_specification(name):
    layer = LAYERS[name]()
    for came, wanted in zip(layer(X), specification_of(layer, X.numpy()), strict=True):
        np.testing.assert_allclose(came.detach().numpy(), wanted, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", LAYERS)
def test_its_gradient_is_that_of_differences(name):
    x = X[:1, :, :2, :3].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: LAYERS[name]()(x), x)


@pytest.mark.parametrize("name", LAYERS)
def test_what_is_given_instead_takes_the_place_of_what_is_seen(name):
    layer = LAYERS[name]()
    out, seen = layer(X)
    again, same = layer(X, seen)
    assert torch.equal(again, out)
    assert torch.equal(same, seen)
    other, _ = layer(X, seen.flip(0))
    assert (other - out).abs().max() > 1e-3
    off = torch.ones_like(seen[0]) if seen.ndim == 2 else torch.zeros_like(seen[0])
    assert torch.equal(layer(X, off)[0], X)


def test_the_spatial_gate_is_a_convolution_of_one_place():
    layer = LAYERS["by place"]()
    conv = nn.Conv2d(C, 1, 1).double()
    conv.load_state_dict({"weight": layer.w.weight[..., None, None], "bias": layer.w.bias})
    mask = conv(X).squeeze(1).sigmoid()
    torch.testing.assert_close(layer(X)[1], mask, rtol=0, atol=1e-12)


def test_the_non_local_block_is_torchs_attention_without_its_scale():
    layer = LAYERS["by pair, softmax"]()
    rows = X.flatten(2).mT
    found = nn.functional.scaled_dot_product_attention(
        layer.W_q(rows), layer.W_k(rows), layer.W_v(rows), scale=1.0
    )
    wanted = (rows + layer.W_z(found)).mT.unflatten(2, (H, W))
    torch.testing.assert_close(layer(X)[0], wanted, rtol=0, atol=1e-10)


@pytest.mark.parametrize("way", ["softmax", "dot product"])
def test_a_new_block_changes_nothing(way):
    layer = NonLocalBlock(C, WIDTH, way).double()
    assert torch.equal(layer(X)[0], X)


def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match="NonLocalBlock: way must be one of"):
        NonLocalBlock(C, WIDTH, "gaussian")
