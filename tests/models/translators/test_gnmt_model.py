"""GNMT in torch, against the loops, finite differences and padding."""

import numpy as np
import pytest
import torch
from torch import nn

from attention_course.data import Batch, Vocabulary, pad
from attention_course.layers.recurrent.gnmt import ResidualStack, TwoWayLSTM, reverse_rows
from attention_course.models import sequence_loss, translate
from attention_course.models.translators.gnmt import GNMT, gnmt_weights
from attention_course.reference.recurrent.gnmt import gnmt_by_loops, gnmt_encode_by_loops

SOURCES = [[3, 4, 5, 10], [6], [7, 3]]
TARGETS_IN = [[1, 3, 4], [1, 5, 6], [1, 6, 3]]


def build(seed=0, depth=8, width=3, residual=True):
    return GNMT(11, 8, np.random.RandomState(seed), depth, width, residual).double()


def padded(sources=SOURCES):
    return tuple(map(torch.from_numpy, pad(sources)))


@pytest.mark.parametrize("depth", [2, 3, 8])
@pytest.mark.parametrize("residual", [True, False])
def test_logits_and_weights_are_those_of_the_loops(depth, residual):
    model = build(depth=depth, residual=residual, seed=depth)
    logits, weights = model.follow(*padded(), torch.tensor(TARGETS_IN))
    for i, (source, target) in enumerate(zip(SOURCES, TARGETS_IN, strict=True)):
        wanted, alpha = gnmt_by_loops(source, target, gnmt_weights(model))
        assert np.abs(logits[i].detach().numpy() - wanted).max() < 1e-10
        assert np.abs(weights[i, :, : len(source)].detach().numpy() - alpha).max() < 1e-10


def test_the_annotations_are_the_top_encoder_layers_outputs():
    model = build()
    ours, p = model.read(*padded()).annotations.detach().numpy(), gnmt_weights(model)
    for row, source in zip(ours, SOURCES, strict=True):
        assert np.abs(row[: len(source)] - gnmt_encode_by_loops(source, p)).max() < 1e-12


def test_gradients_are_the_slopes_of_the_loops():
    model, shift = build(depth=4), 1e-5
    source, target = SOURCES[0], TARGETS_IN[0]
    logits, weights = model.follow(*padded([source]), torch.tensor([target]))
    (logits.pow(2).sum() + weights.pow(2).sum()).backward()

    def slope(change):
        found = []
        for sign in (1, -1):
            moved = gnmt_weights(model)
            change(moved, sign * shift)
            found.append(sum((part**2).sum() for part in gnmt_by_loops(source, target, moved)))
        return (found[0] - found[1]) / (2 * shift)

    def nudge(pick, place):
        def change(p, by):
            pick(p)[place] += by

        return change

    bottom, decoder = model.bottom_encoder, model.decoder.layers
    cases = [
        (lambda p: p.W_a, (1, 2), model.attention.W_a.weight),
        (lambda p: p.U_a, (0, 1), model.attention.U_a.weight),
        (lambda p: p.E_x, (4, 1), model.E_x.weight),
        (lambda p: p.backward[0], (5, 1), bottom.backward_unit.weight_ih_l0),
        (lambda p: p.encoder[2][1], (3, 0), model.encoder.layers[2].weight_hh_l0),
        (lambda p: p.decoder[0][0], (7, 4), model.bottom_decoder.weight_ih),
        (lambda p: p.decoder[3][0], (2, 5), decoder[2].weight_ih_l0),
    ]
    for pick, place, tensor in cases:
        wanted = slope(nudge(pick, place))
        assert abs(wanted - tensor.grad[place].item()) < 1e-6 * max(1, abs(wanted))
        assert abs(wanted) > 1e-9


def test_padding_never_leaks_whatever_stands_there():
    model = build()
    source, lengths = padded()
    target = torch.tensor(TARGETS_IN)
    spoiled = torch.where(source == 0, 9, source)
    longer = nn.functional.pad(spoiled, (0, 3), value=8)
    logits, weights = model.follow(source, lengths, target)
    for other in (spoiled, longer):
        again, _ = model.follow(other, lengths, target)
        assert (logits - again).abs().max() < 1e-13
    assert weights[1, :, 1:].abs().max() == 0
    assert (weights.sum(-1) - 1).abs().max() < 1e-12


def test_writing_greedily_is_following_what_was_written():
    model = build(seed=3, width=4)
    source, lengths = padded()
    written, weights = model.write(source, lengths, longest=6)
    fed = torch.cat([torch.ones(3, 1, dtype=torch.long), written[:, :-1]], 1)
    logits, again = model.follow(source, lengths, fed)
    for row, wanted in zip(written, logits.argmax(-1), strict=True):
        end = int((row == 2).nonzero()[0]) + 1 if (row == 2).any() else len(row)
        assert row[:end].tolist() == wanted[:end].tolist()
        assert (row[end:] == 0).all()
    assert (weights[0] - again[0]).abs().max() < 1e-12


def test_plain_and_residual_models_start_from_the_same_weights():
    a, b = build(residual=True), build(residual=False)
    assert all(torch.equal(a.state_dict()[k], b.state_dict()[k]) for k in a.state_dict())
    target = torch.tensor(TARGETS_IN)
    assert (a(*padded(), target) - b(*padded(), target)).abs().max() > 1e-3
    shallow = [build(depth=2, residual=r)(*padded(), target) for r in (True, False)]
    assert torch.equal(*shallow)


def test_the_courses_loss_and_translate_take_it():
    model = build(depth=3)
    batch = Batch(*pad(SOURCES), *pad([[3, 2], [4, 5, 2], [2]]))
    assert sequence_loss(model, batch).ndim == 0
    assert len(translate(model, SOURCES, Vocabulary("abcde"), longest=4)) == 3


def test_the_same_generator_gives_the_same_model_and_leaves_torch_alone():
    before = torch.get_rng_state()
    a, b = build(seed=1).state_dict(), build(seed=1).state_dict()
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert not torch.equal(a["W_o.weight"], build(seed=2).state_dict()["W_o.weight"])
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(("name", "bad"), [("depth", 1), ("width", 0)])
def test_sizes_that_cannot_be_are_refused(name, bad):
    with pytest.raises(ValueError, match=f"GNMT: {name} must be at least"):
        build(**{name: bad})


def test_lengths_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="GNMT: lengths must be"):
        build().read(padded()[0], torch.tensor([4, 1, 0]))


def test_rows_are_turned_round_within_their_length():
    x = torch.arange(1.0, 9).reshape(2, 4, 1)
    turned = reverse_rows(x, torch.tensor([4, 2])).squeeze(-1)
    assert turned.tolist() == [[4, 3, 2, 1], [6, 5, 7, 8]]


def test_the_two_way_layer_is_torchs_on_packed_rows():
    layer = TwoWayLSTM(3, 4).double()
    both = nn.LSTM(3, 4, batch_first=True, bidirectional=True, dtype=torch.double)
    halves = [*layer.forward_unit.parameters(), *layer.backward_unit.parameters()]
    for theirs, ours in zip(both.parameters(), halves, strict=True):
        theirs.data = ours.data
    x = torch.randn(2, 5, 3, dtype=torch.double, generator=torch.Generator().manual_seed(0))
    lengths = torch.tensor([5, 2])
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
    wanted, _ = nn.utils.rnn.pad_packed_sequence(both(packed)[0], batch_first=True)
    real = (torch.arange(5) < lengths.unsqueeze(1)).unsqueeze(-1)
    assert ((layer(x, lengths) - wanted) * real).abs().max() < 1e-12


def test_running_step_by_step_is_running_through():
    stack = ResidualStack(inputs=6, context=2, d=3, depth=5).double()
    x = torch.randn(2, 4, 8, dtype=torch.double, generator=torch.Generator().manual_seed(0))
    through, _ = stack(x[..., :6], x[..., 6:])
    states, steps = None, []
    for t in range(4):
        one, states = stack(x[:, t : t + 1, :6], x[:, t : t + 1, 6:], states)
        steps.append(one)
    assert (through - torch.cat(steps, 1)).abs().max() < 1e-12
