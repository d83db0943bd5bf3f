"""The block in torch: against torch's own layers, the loops of positions, and its cache."""

import numpy as np
import pytest
import torch
from torch import nn

from attention_course.layers.positions import KINDS, Positions, new_positions
from attention_course.layers.transformer.cross_attention import extend
from attention_course.layers.transformer.transformer_block import (
    BlockAttention,
    TransformerBlock,
)
from attention_course.models.translators.encoder_decoder import _copy_block, blocks_of
from attention_course.reference import sinusoidal_positions, softmax
from attention_course.reference.positions import alibi_by_loops, rotate_by_loops
from attention_course.reference.transformer.transformer_block import block_by_loops

D, HEADS, N = 8, 2, 6
FUTURE = ~torch.ones(N, N, dtype=torch.bool).tril()


def draw(*shape, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape))


def close(one, other, atol=1e-10):
    one, other = (np.asarray(x.detach() if torch.is_tensor(x) else x) for x in (one, other))
    np.testing.assert_allclose(one, other, rtol=0, atol=atol)


def shaken(module):
    for i, p in enumerate(module.parameters()):
        p.data.copy_(draw(*p.shape, seed=50 + i) * 0.4)
    return module


def twins(cross, norm_first):
    kind = nn.TransformerDecoderLayer if cross else nn.TransformerEncoderLayer
    options = {"dropout": 0.0, "batch_first": True, "norm_first": norm_first}
    theirs = shaken(kind(D, HEADS, 16, **options, dtype=torch.float64))
    ours = TransformerBlock(D, HEADS, 16, cross, norm_first).double()
    _copy_block(ours, theirs)
    return ours, theirs


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("cross", [False, True])
def test_a_block_is_torchs_layer_and_the_loop_forwards_and_backwards(cross, norm_first):
    ours, theirs = twins(cross, norm_first)
    x, m = draw(2, N, D).requires_grad_(), draw(2, 4, D, seed=1)
    memory = ours.cross.keys_and_values(m) if cross else None
    mine = ours(x, ~FUTURE, memory=memory)[0]
    (slope,) = torch.autograd.grad(mine.square().sum(), x)
    wanted = theirs(x, m, tgt_mask=FUTURE) if cross else theirs(x, src_mask=FUTURE)
    close(mine, wanted)
    close(slope, torch.autograd.grad(wanted.square().sum(), x)[0])
    arrays = blocks_of(nn.ModuleList([ours]))[0]
    by_loops = block_by_loops(
        x[0].detach().numpy(), arrays, True, m[0].numpy() if cross else None
    )
    close(mine[0], by_loops)


def test_added_positions_are_the_references():
    x = draw(2, 5, D)
    table = sinusoidal_positions(9, D)
    close(new_positions("sinusoidal", D, HEADS, 9).add(x, 4) - x, np.stack([table[4:]] * 2))
    learned = new_positions("learned", D, HEADS, 9)
    close(learned.add(x.float(), 2) - x.float(), torch.stack([learned.table[2:7]] * 2), 1e-6)


def by_loops(layer, x, kind):
    q, k, v = (
        getattr(layer, name)(x).detach().numpy().reshape(N, HEADS, -1)
        for name in ("W_q", "W_k", "W_v")
    )
    bias, heads = alibi_by_loops(N, N, HEADS), []
    for h in range(HEADS):
        if kind == "rotary":
            q[:, h], k[:, h] = rotate_by_loops(q[:, h]), rotate_by_loops(k[:, h])
        scores = q[:, h] @ k[:, h].T / np.sqrt(D / HEADS)
        scores = scores + bias[h] if kind == "alibi" else scores
        heads.append(softmax(scores, mask=~FUTURE.numpy()) @ v[:, h])
    joined = np.concatenate(heads, axis=1)
    return joined @ layer.W_o.weight.detach().numpy().T + layer.W_o.bias.detach().numpy()


@pytest.mark.parametrize("kind", ["none", "rotary", "alibi"])
def test_attention_with_positions_is_the_loop_and_no_other(kind):
    layer = BlockAttention(D, HEADS, positions=new_positions(kind, D, HEADS)).double()
    shaken(layer)
    x = draw(1, N, D)
    z, _ = layer.look(x, layer.keys_and_values(x), ~FUTURE)
    for other in ("none", "rotary", "alibi"):
        same = np.allclose(z[0].detach().numpy(), by_loops(layer, x[0], other), atol=1e-10)
        assert same == (other == kind)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_cached_equals_full_for_every_kind_of_position(kind, norm_first):
    P = new_positions(kind, D, HEADS)
    block = shaken(TransformerBlock(D, HEADS, 16, norm_first=norm_first, positions=P).double())
    x, kept, rows = draw(2, N, D), None, []
    whole, _, _ = block(P.add(x), ~FUTURE)
    for t in range(N):
        row, kept, _ = block(P.add(x[:, t : t + 1], t), kept=kept)
        rows.append(row)
    close(torch.cat(rows, 1), whole)


@pytest.mark.parametrize("kind", KINDS)
def test_only_without_positions_is_a_shuffled_text_the_same_text(kind):
    P = new_positions(kind, D, HEADS)
    block = shaken(TransformerBlock(D, HEADS, 16, positions=P).double())
    with torch.no_grad():
        P.table.copy_(draw(*P.table.shape)) if kind == "learned" else None
    order = torch.tensor([3, 0, 5, 1, 4, 2])
    x = draw(1, N, D)
    one, two = (block(P.add(z))[0] for z in (x, x[:, order]))
    assert torch.allclose(one[:, order], two, atol=1e-9) == (kind == "none")


def test_a_cache_whose_start_is_forgotten_is_wrong():
    P = new_positions("rotary", D, HEADS)
    layer = shaken(BlockAttention(D, HEADS, positions=P).double())
    x = draw(1, N, D)
    seen = layer.keys_and_values(x[:, :5])
    for start, right in ((5, True), (0, False)):
        both = extend(seen, layer.keys_and_values(x[:, 5:], start=start))
        row = layer.look(x[:, 5:], both, start=start)[0]
        full = layer.look(x, layer.keys_and_values(x))[0][:, 5:]
        assert torch.allclose(row, full, atol=1e-10) == right


def test_the_interface_says_nothing_by_default():
    x = draw(1, 2, 3, 4)
    P = Positions()
    assert P.add(x) is x
    assert P.turn(x, 3) is x
    assert P.bias(2, 3) is None
