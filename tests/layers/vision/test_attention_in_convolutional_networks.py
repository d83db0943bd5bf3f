"""The three torch layers equal the specification, values and gradients, and torch's own."""

import numpy as np
import pytest
import torch

from attention_course.layers import NonLocalBlock, SpatialGate, SqueezeAndExcitation

N, C, H, W, HIDDEN, WIDTH = 2, 6, 4, 5, 3, 7
X = torch.from_numpy(np.random.RandomState(0).standard_normal((N, C, H, W)))


def drawn(layer):
    rng = np.random.RandomState(1)
    for p in layer.parameters():
        p.data = torch.from_numpy(rng.standard_normal(tuple(p.shape)))
    return layer


LAYERS = {
    "by place": lambda: drawn(SpatialGate(C)),
    "by channel": lambda: drawn(SqueezeAndExcitation(C, HIDDEN)),
    "by pair, softmax": lambda: drawn(NonLocalBlock(C, WIDTH)),
    "by pair, dot product": lambda: drawn(NonLocalBlock(C, WIDTH, "dot product")),
}


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


@pytest.mark.parametrize("way", ["softmax", "dot product"])
def test_a_new_block_changes_nothing(way):
    layer = NonLocalBlock(C, WIDTH, way).double()
    assert torch.equal(layer(X)[0], X)
