"""The fixed-vector model in torch, against the loops and against padding."""

import numpy as np
import pytest
import torch

from attention_course.data import Batch, Vocabulary, pad
from attention_course.models import (
    FixedVectorSeq2Seq,
    forward_flops,
    sequence_loss,
    translate,
)
from attention_course.reference import decode_by_loops, encode_by_loops

N_SOURCE, N_TARGET, WIDTH = 11, 7, 5


def model(seed=0, width=WIDTH):
    return FixedVectorSeq2Seq(N_SOURCE, N_TARGET, width, np.random.RandomState(seed)).double()


def arrays(gru):
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    return [getattr(gru, name).detach().numpy() for name in names]


def table(embedding):
    return embedding.weight.detach().numpy()


SOURCES = [[3, 4, 5, 10], [6], [7, 3]]
TARGETS_IN = [[1, 3, 4], [1, 5, 6], [1, 6, 3]]


def padded(sources=SOURCES):
    return tuple(map(torch.from_numpy, pad(sources)))


@pytest.mark.parametrize("seed", range(3))
def test_encoder_and_decoder_are_those_of_the_loops(seed):
    net = model(seed)
    with torch.no_grad():
        contexts = net.encode(*padded())
        logits = net.decode(contexts, torch.tensor(TARGETS_IN))
    for i, (source, target) in enumerate(zip(SOURCES, TARGETS_IN, strict=True)):
        c = encode_by_loops(source, table(net.source_embedding), arrays(net.encoder))
        assert np.abs(contexts[i].numpy() - c).max() < 1e-10
        out = net.output.weight.detach().numpy(), net.output.bias.detach().numpy()
        rows = decode_by_loops(
            c, target, table(net.target_embedding), arrays(net.decoder), *out
        )
        assert np.abs(logits[i].numpy() - rows).max() < 1e-10


def test_padding_never_reaches_the_vector_whatever_stands_there():
    net = model()
    source, lengths = padded()
    spoiled = torch.where(source == 0, 9, source)
    with torch.no_grad():
        a, b = net.encode(source, lengths), net.encode(spoiled, lengths)
        alone = torch.cat([net.encode(*padded([s])) for s in SOURCES])
    assert torch.equal(a, b)
    assert (a - alone).abs().max() < 1e-12


def test_padding_in_the_target_does_not_count_in_the_loss():
    net = model()
    source, lengths = pad([[3, 4], [5, 6]])
    one = sequence_loss(net, Batch(source, lengths, *pad([[3, 2], [4, 2]])))
    rows, target_lengths = pad([[3, 2], [4, 2]])
    wider = np.pad(rows, ((0, 0), (0, 3)))
    assert torch.allclose(
        one, sequence_loss(net, Batch(source, lengths, wider, target_lengths)), atol=1e-14
    )


def test_the_loss_is_the_mean_of_minus_log_probability():
    net = model()
    source, lengths = pad([[3, 4], [5]])
    target, target_lengths = pad([[3, 5, 2], [6, 2]])
    loss = sequence_loss(net, Batch(source, lengths, target, target_lengths))
    by_hand = []
    for i, (words, length) in enumerate(zip(SOURCES, (3, 2), strict=False)):
        words = [[3, 4], [5]][i]
        true = target[i, :length].tolist()
        with torch.no_grad():
            logits = net(*padded([words]), torch.tensor([[1, *true[:-1]]]))[0]
        by_hand += [-logits[t].log_softmax(0)[y].item() for t, y in enumerate(true)]
    assert abs(loss.item() - np.mean(by_hand)) < 1e-12


def test_generation_is_greedy_and_stops_at_the_end_mark():
    net = model(seed=1)
    written = net.generate(*padded(), longest=9)
    for i, source in enumerate(SOURCES):
        c = encode_by_loops(source, table(net.source_embedding), arrays(net.encoder))
        out = net.output.weight.detach().numpy(), net.output.bias.detach().numpy()
        said = [1]
        while len(said) < 10 and said[-1] != 2:
            rows = decode_by_loops(
                c, said, table(net.target_embedding), arrays(net.decoder), *out
            )
            said.append(int(rows[-1].argmax()))
        row = written[i].tolist()
        assert row[: len(said) - 1] == said[1:]
        assert not any(row[len(said) - 1 :])


def test_translation_keeps_the_order_of_the_sources():
    net = model().float()
    words = Vocabulary("abcd")
    together = translate(net, SOURCES, words, longest=6, size=2)
    assert together == [translate(net, [s], words, longest=6)[0] for s in SOURCES]


def test_gradients_are_those_of_finite_differences():
    net = model(width=3)
    source, lengths = padded([[3, 4], [5]])

    def logits(*weights):
        names = [name for name, _ in net.named_parameters()]
        arguments = source, lengths, torch.tensor([[1, 3], [1, 4]])
        return torch.func.functional_call(
            net, dict(zip(names, weights, strict=True)), arguments
        )

    weights = [p.detach().clone().requires_grad_() for p in net.parameters()]
    assert torch.autograd.gradcheck(logits, weights, fast_mode=True)


def test_first_weights_depend_on_the_generator_and_leave_torchs_own_alone():
    torch.manual_seed(7)
    before = torch.get_rng_state()
    a, b, c = model(0), model(0), model(1)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(a.output.weight, b.output.weight)
    assert not torch.equal(a.output.weight, c.output.weight)


def test_flops_are_counted_as_two_for_each_number_of_each_matrix_used():
    net = model()
    matrices = [p for name, p in net.encoder.named_parameters() if "weight" in name]
    a_step = 2 * sum(p.numel() for p in matrices)
    output = 2 * net.output.weight.numel()
    assert forward_flops(net, source=4, target=3) == 4 * a_step + 3 * (a_step + output)


@pytest.mark.parametrize("name", ["n_source", "n_target", "width"])
def test_a_size_of_zero_is_refused(name):
    sizes = {"n_source": 3, "n_target": 4, "width": 5, name: 0}
    with pytest.raises(
        ValueError, match=f"FixedVectorSeq2Seq: {name} must be at least 1, got 0"
    ):
        FixedVectorSeq2Seq(**sizes, rng=np.random.RandomState(0))


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([2, 1], r"lengths must be one number for each row of source, got source \(3, 4\)"),
        ([4, 0, 1], "lengths must be between 1 and 4, got 0 to 4"),
        ([5, 1, 1], "lengths must be between 1 and 4, got 1 to 5"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(lengths, message):
    with pytest.raises(ValueError, match=f"FixedVectorSeq2Seq.encode: {message}"):
        model().encode(padded()[0], torch.tensor(lengths))
