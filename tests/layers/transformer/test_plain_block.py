"""The block as the page shows it: it is the block that the models use, in both orders."""

import pytest
import torch
from torch import nn

from attention_course.layers.transformer.plain_block import PlainBlock, post_norm, pre_norm
from attention_course.layers.transformer.transformer_block import TransformerBlock


def pair(norm_first: bool) -> tuple[PlainBlock, TransformerBlock]:
    torch.manual_seed(0)
    block = TransformerBlock(8, 2, 24, norm_first=norm_first).double()
    for p in block.parameters():
        nn.init.normal_(p, std=0.4)
    plain = PlainBlock(8, 2, 24, pre_norm if norm_first else post_norm).double()
    plain.load_state_dict(block.state_dict())
    return plain, block


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_it_is_the_models_block_forwards_and_backwards(norm_first, causal):
    plain, block = pair(norm_first)
    x = torch.randn(3, 7, 8, dtype=torch.float64, requires_grad=True)
    mask = torch.ones(7, 7, dtype=torch.bool).tril() if causal else None
    one, two = plain(x, mask), block(x, mask)[0]
    assert (one - two).abs().max() < 1e-12
    slopes = [torch.autograd.grad(z.square().sum(), x)[0] for z in (one, two)]
    assert (slopes[0] - slopes[1]).abs().max() < 1e-10


def test_heads_that_do_not_divide_the_width_are_refused():
    with pytest.raises(ValueError, match="n_heads"):
        PlainBlock(8, 3, 24)
