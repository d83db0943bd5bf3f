"""CrossAttention and its cache against the loops, and by tests that need no second build."""

import numpy as np
import pytest
import torch

from attention_course.layers.parity import multihead_twin
from attention_course.layers.transformer.cross_attention import (
    CrossAttention,
    KeysValues,
    extend,
)
from attention_course.reference import causal_mask

BATCH, QUERIES, KEYS, D_MODEL, D_MEMORY, HEADS, D_K, D_V = 2, 5, 7, 6, 4, 3, 8, 9


def build(d_memory=D_MEMORY, **sizes):
    generator = torch.Generator().manual_seed(0)
    sizes = {"n_heads": HEADS, "d_k": D_K, "d_v": D_V} | sizes
    return CrossAttention(D_MODEL, d_memory, generator=generator, **sizes).double()


def draw(*shape, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape))


def sequences():
    return draw(BATCH, QUERIES, D_MODEL, seed=1), draw(BATCH, KEYS, D_MEMORY, seed=2)


def close(ours, wanted):
    np.testing.assert_allclose(
        np.asarray(ours.detach()), np.asarray(wanted), rtol=0, atol=1e-10
    )


def test_padding_in_the_memory_is_never_seen():
    layer, (x, memory) = build(), sequences()
    real = torch.arange(KEYS) < torch.tensor([4, 7])[:, None]
    rubbish = torch.where(real[..., None], memory, 1e3)
    one, two = (layer(x, m, padding=real) for m in (memory, rubbish))
    assert torch.equal(one[0], two[0])
    assert torch.all(one[1][0, :, :, 4:] == 0)
    close(one[0][0], layer(x[:1], memory[:1, :4])[0][0].detach())
    assert not torch.allclose(layer(x, memory)[0], layer(x, rubbish)[0])


def test_padding_and_causal_mask_work_together():
    layer, memory = build(d_memory=D_MODEL), draw(BATCH, QUERIES, D_MODEL)
    real = torch.arange(QUERIES) < torch.tensor([2, 5])[:, None]
    _, weights = layer(memory, memory, torch.from_numpy(causal_mask(QUERIES)), real)
    allowed = torch.from_numpy(causal_mask(QUERIES)) & real[:, None, :]
    assert torch.equal(weights > 0, allowed[:, None].expand_as(weights))


def test_a_causal_mask_by_perturbation_and_by_gradient():
    layer = build(d_memory=D_MODEL)
    x = draw(1, QUERIES, D_MODEL).requires_grad_()
    mask = torch.from_numpy(causal_mask(QUERIES))
    z, _ = layer(x, x, mask)
    changed = x.detach().clone()
    changed[0, 3] += 1.0
    moved = (layer(changed, changed, mask)[0] != z).any(-1)[0]
    assert moved.tolist() == [False, False, False, True, True]
    (slope,) = torch.autograd.grad(z[0, 2].sum(), x)
    assert (slope[0].abs().sum(-1) > 0).tolist() == [True, True, True, False, False]


def test_keys_kept_step_by_step_equal_the_causal_mask():
    layer, x = build(d_memory=D_MODEL), draw(BATCH, QUERIES, D_MODEL)
    whole, _ = layer(x, x, torch.from_numpy(causal_mask(QUERIES)))
    kept, rows = None, []
    for x_t in x.split(1, dim=1):
        kept = extend(kept, layer.keys_and_values(x_t))
        rows.append(layer.look(x_t, kept)[0])
    close(torch.cat(rows, 1), whole.detach())
    assert kept.k.shape == (BATCH, HEADS, QUERIES, D_K)
    assert kept.v.shape == (BATCH, HEADS, QUERIES, D_V)


def test_masks_are_kept_together_with_their_keys():
    layer = build(d_memory=D_MODEL)
    one = layer.keys_and_values(draw(1, 2, D_MODEL), torch.tensor([[True, False]]))
    two = layer.keys_and_values(draw(1, 1, D_MODEL), torch.tensor([[True]]))
    assert extend(one, two).mask.tolist() == [[True, False, True]]
    with pytest.raises(ValueError, match="extend: new must have a padding mask if seen has"):
        extend(one, KeysValues(two.k, two.v))


@pytest.mark.parametrize("d_values", [D_MEMORY, 5])
def test_values_apart_from_the_keys_equal_torchs_module(d_values):
    layer = build(n_heads=2, d_k=3, d_v=3, d_values=d_values)
    (x, memory), values = sequences(), draw(BATCH, KEYS, d_values, seed=3)
    theirs = multihead_twin(layer)
    leaves = [t.requires_grad_() for t in (x, memory, values)]
    z, weights = layer(x, memory, values=values)
    wanted, their_weights = theirs(x, memory, values, average_attn_weights=False)
    close(z, wanted.detach())
    close(weights, their_weights.detach())
    pull = draw(*z.shape, seed=4)
    for ours, own in zip(
        torch.autograd.grad((z * pull).sum(), leaves),
        torch.autograd.grad((wanted * pull).sum(), leaves),
        strict=True,
    ):
        close(ours, own)
    assert not torch.allclose(layer(x, memory, values=values.flip(1))[0], z)


def test_values_are_made_of_the_memory_unless_given():
    layer, (x, memory) = build(), sequences()
    assert torch.equal(layer(x, memory)[0], layer(x, memory, values=memory)[0])
    kept = layer.keys_and_values(memory, values=memory + 1)
    assert torch.equal(kept.k, layer.keys_and_values(memory).k)
    assert not torch.allclose(kept.v, layer.keys_and_values(memory).v)
