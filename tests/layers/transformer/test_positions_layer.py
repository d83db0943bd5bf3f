"""Positions where a text is padded on the left: what each kind of them still says."""

import pytest
import torch

from attention_course.layers.positions import KINDS, new_positions

PAD, N, D = 3, 5, 8


def weights(positions, x, padding=0):
    """Return the weights of one text; ``padding`` keys at the left are masked."""
    x = positions.add(x)
    heads = x.unflatten(-1, (2, -1)).transpose(-2, -3)
    q = positions.turn(heads)
    scores = q @ q.mT / q.shape[-1] ** 0.5
    bias = positions.bias(*scores.shape[-2:])
    scores = scores if bias is None else scores + bias
    scores[..., :padding] = -torch.inf
    return scores.softmax(-1)[..., padding:, padding:]


@pytest.mark.parametrize("kind", KINDS)
def test_padding_on_the_left_moves_only_what_is_added_to_the_embeddings(kind):
    generator = torch.Generator().manual_seed(1706)
    torch.manual_seed(1706)
    positions = new_positions(kind, D, 2).double()
    x = torch.randn(1, N, D, generator=generator, dtype=torch.float64)
    padded = torch.cat([torch.zeros(1, PAD, D, dtype=torch.float64), x], dim=1)
    gap = (weights(positions, padded, PAD) - weights(positions, x)).abs().max()
    moves = kind in ("sinusoidal", "learned")
    assert gap > 1e-3 if moves else gap < 1e-12
