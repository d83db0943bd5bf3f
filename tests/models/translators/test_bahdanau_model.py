"""Bahdanau's model in torch, against the loops, finite differences and padding."""

import numpy as np
import pytest
import torch
from torch import nn

from attention_course.data import Batch, Vocabulary, pad
from attention_course.layers.recurrent.bahdanau import BahdanauAttention, TwoWayEncoder
from attention_course.models import sequence_loss, translate
from attention_course.models.translators.bahdanau import (
    BahdanauSeq2Seq,
    FixedContextSeq2Seq,
    bahdanau_weights,
)
from attention_course.reference.recurrent.bahdanau import (
    align_by_loops,
    annotate_by_loops,
    bahdanau_by_loops,
    gated_step,
    maxout,
)

SIZES = {"embedding": 3, "encoder": 4, "decoder": 5, "alignment": 7, "maxout": 2}
SOURCES = [[3, 4, 5, 10], [6], [7, 3]]
TARGETS_IN = [[1, 3, 4], [1, 5, 6], [1, 6, 3]]
KINDS = pytest.mark.parametrize("kind", [BahdanauSeq2Seq, FixedContextSeq2Seq])


def build(kind=BahdanauSeq2Seq, seed=0, **sizes):
    return kind(11, 8, np.random.RandomState(seed), **SIZES | sizes).double()


def padded(sources=SOURCES):
    return tuple(map(torch.from_numpy, pad(sources)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sizes", [{}, dict.fromkeys(SIZES, 4)])
def test_logits_and_weights_are_those_of_the_loops(seed, sizes):
    model = build(seed=seed, **sizes)
    logits, weights = model.follow(*padded(), torch.tensor(TARGETS_IN))
    for i, (source, target) in enumerate(zip(SOURCES, TARGETS_IN, strict=True)):
        wanted, alpha = bahdanau_by_loops(source, target, bahdanau_weights(model))
        assert np.abs(logits[i].detach().numpy() - wanted).max() < 1e-10
        assert np.abs(weights[i, :, : len(source)].detach().numpy() - alpha).max() < 1e-10


def test_the_fixed_context_is_both_ends_at_every_step():
    model = build(FixedContextSeq2Seq)
    logits = model(*padded([SOURCES[0]]), torch.tensor(TARGETS_IN[:1]))[0].detach().numpy()
    twin = build()
    twin.load_state_dict(model.state_dict() | twin.attention.state_dict(prefix="attention."))
    p = bahdanau_weights(twin)
    h = annotate_by_loops(SOURCES[0], p.E_x, p.forward, p.backward)
    c, s = np.concatenate([h[-1, :4], h[0, 4:]]), np.tanh(p.W_s @ h[0, 4:] + p.b_s)
    for step, token in enumerate(TARGETS_IN[0]):
        t = maxout(p.U_o @ s + p.V_o @ p.E_y[token] + p.C_o @ c + p.b_o)
        assert np.abs(logits[step] - (p.W_o @ t + p.b_w)).max() < 1e-10
        s = gated_step(p.decoder.W @ p.E_y[token] + p.C @ c + p.decoder.b, s, p.decoder.U)


def test_gradients_are_the_slopes_of_the_loops():
    model, step = build(), 1e-5
    source, target = SOURCES[0], TARGETS_IN[0]
    logits, weights = model.follow(*padded([source]), torch.tensor([target]))
    (logits.pow(2).sum() + weights.pow(2).sum()).backward()
    slopes = {
        "W_a": model.attention.W_a.weight,
        "U_a": model.attention.U_a.weight,
        "W_s": model.W_s.weight,
        "C": model.C.weight,
        "U_o": model.U_o.weight,
        "E_x": model.E_x.weight,
    }
    rng = np.random.RandomState(0)
    for name, tensor in slopes.items():
        array = getattr(bahdanau_weights(model), name)
        rows = source if name == "E_x" else range(len(array))
        place = rng.choice(rows), rng.randint(array.shape[1])
        found = []
        for sign in (1, -1):
            moved = bahdanau_weights(model)
            getattr(moved, name)[place] += sign * step
            out = bahdanau_by_loops(source, target, moved)
            found.append(sum((part**2).sum() for part in out))
        slope = (found[0] - found[1]) / (2 * step)
        assert abs(slope - float(tensor.grad[place])) < 1e-6 * max(1, abs(slope)), name


@KINDS
def test_padding_never_leaks_whatever_stands_there(kind):
    model = build(kind)
    source, lengths = padded()
    target = torch.tensor(TARGETS_IN)
    spoiled = torch.where(source == 0, 9, source)
    longer = nn.functional.pad(spoiled, (0, 3), value=8)
    logits, weights = model.follow(source, lengths, target)
    for other in (spoiled, longer):
        again, again_weights = model.follow(other, lengths, target)
        assert (logits - again).abs().max() < 1e-13
        assert again_weights.shape[:2] == weights.shape[:2]
    alone = torch.cat([model(*padded([s]), target[i : i + 1]) for i, s in enumerate(SOURCES)])
    assert (logits - alone).abs().max() < 1e-12


@KINDS
def test_padding_gets_no_gradient(kind):
    model = build(kind)
    model.E_x.weight.data[9] = 5.0
    source, lengths = padded()
    spoiled = torch.where(source == 0, 9, source)
    model(spoiled, lengths, torch.tensor(TARGETS_IN)).pow(2).sum().backward()
    assert model.E_x.weight.grad[9].abs().max() == 0
    assert model.E_x.weight.grad[3].abs().max() > 0


def test_weights_on_padding_are_zero_and_each_row_sums_to_one():
    _, weights = build().follow(*padded(), torch.tensor(TARGETS_IN))
    assert (weights.sum(-1) - 1).abs().max() < 1e-12
    assert weights[1, :, 1:].abs().max() == 0


def test_the_alignment_model_is_three_arrays_and_nothing_else():
    attention = BahdanauAttention(5, 6, 7)
    shapes = {name: tuple(p.shape) for name, p in attention.named_parameters()}
    assert shapes == {"W_a.weight": (7, 5), "U_a.weight": (7, 6), "v_a.weight": (1, 7)}
    assert not list(attention.buffers())


def test_the_attention_layer_is_that_of_the_loops_without_any_recurrent_network():
    attention = BahdanauAttention(5, 6, 7).double()
    draw = np.random.RandomState(0).standard_normal
    s, h = draw((2, 5)), draw((2, 4, 6))
    keys = attention.keys(torch.tensor(h))
    context, weights = attention(torch.tensor(s), keys, torch.tensor(h))
    arrays = [getattr(attention, n).weight.detach().numpy() for n in ("W_a", "U_a", "v_a")]
    for i in range(2):
        c, alpha = align_by_loops(s[i], h[i], *arrays[:2], arrays[2][0])
        assert np.abs(context[i].detach().numpy() - c).max() < 1e-12
        assert np.abs(weights[i].detach().numpy() - alpha).max() < 1e-12


def test_keys_are_computed_once_and_queries_once_a_step():
    model, calls = build(), []
    for name in ("W_a", "U_a"):
        layer = getattr(model.attention, name)
        layer.register_forward_hook(lambda *_, name=name: calls.append(name))
    model(*padded(), torch.tensor(TARGETS_IN))
    assert calls == ["U_a", "W_a", "W_a", "W_a"]


@KINDS
def test_writing_greedily_is_following_what_was_written(kind):
    model = build(kind, seed=3)
    source, lengths = padded()
    written, weights = model.write(source, lengths, longest=6)
    fed = torch.cat([torch.ones(3, 1, dtype=torch.long), written[:, :-1]], 1)
    logits, again = model.follow(source, lengths, fed)
    for row, wanted in zip(written, logits.argmax(-1), strict=True):
        end = int((row == 2).nonzero()[0]) + 1 if (row == 2).any() else len(row)
        assert row[:end].tolist() == wanted[:end].tolist()
        assert (row[end:] == 0).all()
    assert (weights[0] - again[0]).abs().max() < 1e-12


def test_the_courses_loss_and_translate_take_it():
    model = build()
    batch = Batch(*pad(SOURCES), *pad([[3, 2], [4, 5, 2], [2]]))
    assert sequence_loss(model, batch).ndim == 0
    words = translate(model, SOURCES, Vocabulary("abcde"), longest=4)
    assert len(words) == 3


def test_the_same_generator_gives_the_same_model_and_leaves_torch_alone():
    before = torch.get_rng_state()
    a, b = build(seed=1).state_dict(), build(seed=1).state_dict()
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert not torch.equal(a["C.weight"], build(seed=2).state_dict()["C.weight"])
    assert torch.equal(before, torch.get_rng_state())


def test_the_backward_reader_starts_at_the_last_real_word():
    encoder = TwoWayEncoder(3, 4).double()
    x = torch.randn(1, 5, 3, dtype=torch.double, generator=torch.Generator().manual_seed(0))
    short, _ = encoder(x[:, :2], torch.ones(1, 2, dtype=torch.bool))
    longer, ends = encoder(x, torch.tensor([[True, True, False, False, False]]))
    assert (longer[:, :2] - short).abs().max() < 1e-14
    assert torch.equal(ends, torch.cat([longer[:, 1, :4], longer[:, 0, 4:]], -1))


@pytest.mark.parametrize("lengths", [[4, 1, 0], [5, 1, 2], [4, 1]])
def test_lengths_that_cannot_be_are_refused(lengths):
    with pytest.raises(ValueError, match="BahdanauSeq2Seq: lengths must be"):
        build().read(padded()[0], torch.tensor(lengths))


def test_sizes_below_one_are_refused():
    with pytest.raises(ValueError, match="alignment must be at least 1, got 0"):
        build(alignment=0)
    with pytest.raises(ValueError, match="d_a must be a positive whole number, got 0"):
        BahdanauAttention(1, 1, 0)


def test_a_model_without_attention_has_no_reference_weights():
    with pytest.raises(ValueError, match="bahdanau_weights: model must have attention"):
        bahdanau_weights(build(FixedContextSeq2Seq))
