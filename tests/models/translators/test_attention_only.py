"""The translator of the chapter on masks against its loops, its cache and its tests."""

import numpy as np
import pytest
import torch

from attention_course.data.vocabulary import END, PAD
from attention_course.layers.transformer.cross_attention import extend
from attention_course.models.translators.attention_only import (
    AttentionOnlySeq2Seq,
    attention_only_weights,
)
from attention_course.reference.transformer.attention_only import attention_only_by_loops

SOURCE, TARGET = [3, 5, 4, 8, 7], [1, 4, 5, 3]


def build(ahead=0, **sizes):
    sizes = {"width": 8, "n_heads": 2} | sizes
    return AttentionOnlySeq2Seq(9, 7, np.random.RandomState(0), ahead=ahead, **sizes).double()


def follow(model, source=SOURCE, target=TARGET, padding=0):
    rows = torch.tensor([source + [6] * padding])
    return model.follow(rows, torch.tensor([len(source)]), torch.tensor([target]))


def close(ours, wanted):
    np.testing.assert_allclose(ours.detach().numpy(), np.asarray(wanted), rtol=0, atol=1e-10)


@pytest.mark.parametrize("ahead", [0, 1, 48])
def test_logits_and_weights_are_the_loops(ahead):
    model = build(ahead)
    logits, weights = follow(model)
    by_loops, loop_weights = attention_only_by_loops(
        SOURCE, TARGET, attention_only_weights(model), ahead
    )
    close(logits[0], by_loops)
    close(weights[0], loop_weights)


def test_another_mask_would_be_noticed():
    model = build(0)
    other, _ = attention_only_by_loops(SOURCE, TARGET, attention_only_weights(model), 1)
    assert not np.allclose(follow(model)[0][0].detach().numpy(), other, atol=1e-3)


def test_gradients_are_those_of_finite_differences_through_the_loops():
    model = build()
    follow(model)[0].pow(2).sum().backward()
    weights = attention_only_weights(model)
    for name, array, gradient in (
        ("W_k", weights.cross.W_k, model.cross.W_k.weight.grad),
        ("W_o", weights.decoder_self.W_o, model.decoder_self.W_o.weight.grad),
        ("W_v", weights.encoder_self.W_v, model.encoder_self.W_v.weight.grad),
    ):
        slopes = []
        for step in (1e-6, -1e-6):
            array[1, 2, 0] += step
            slopes.append((attention_only_by_loops(SOURCE, TARGET, weights)[0] ** 2).sum())
            array[1, 2, 0] -= step
        # Head 1, row 2, column 0 of a stack; torch keeps the matrix of all heads, transposed.
        row, column = (0, 4 + 2) if name == "W_o" else (4 + 0, 2)
        slope = (slopes[0] - slopes[1]) / 2e-6
        assert gradient[row, column].item() == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_padding_behind_the_source_is_never_seen():
    model = build()
    plain, padded = follow(model), follow(model, padding=3)
    close(plain[0], padded[0].detach())
    assert torch.all(padded[1][..., len(SOURCE) :] == 0)


def test_all_at_once_equals_step_by_step_and_a_leak_does_not():
    for ahead, same in ((0, True), (1, False)):
        model = build(ahead)
        memory, kept, rows = model.read(torch.tensor([SOURCE]), torch.tensor([5])), None, []
        for at, symbol in enumerate(TARGET):
            s, kept = model.step(torch.tensor([symbol]), at, kept)
            rows.append(model.emit(s, memory)[0])
        gap = (follow(model)[0] - torch.cat(rows, 1)).abs().max()
        assert bool(gap < 1e-10) == same


@pytest.mark.parametrize(("ahead", "seen"), [(0, 3), (1, 4), (48, 4)])
def test_the_gradient_reaches_as_far_as_the_mask_lets_it(ahead, seen):
    model, kept = build(ahead), []
    model.E_y.register_forward_hook(lambda m, given, out: kept.append(out))
    logits, _ = follow(model)
    (slope,) = torch.autograd.grad(logits[0, 2].sum(), kept[0])
    assert (slope[0].norm(dim=-1) > 0).tolist() == [j < seen for j in range(4)]


def test_keys_of_the_source_are_made_once_however_much_is_written():
    model, calls = build(), []
    for name in ("W_k", "W_v", "W_q"):
        layer = getattr(model.cross, name)
        layer.register_forward_hook(lambda m, given, out, name=name: calls.append(name))
    written, weights = model.write(torch.tensor([SOURCE]), torch.tensor([5]), longest=4)
    n = written.shape[1]
    assert (calls.count("W_k"), calls.count("W_v"), calls.count("W_q")) == (1, 1, n)
    assert weights.shape == (1, 2, n, 5)


def test_what_is_written_is_the_likeliest_given_itself():
    model = build()
    written, _ = model.write(torch.tensor([SOURCE]), torch.tensor([5]), longest=6)
    logits, _ = follow(model, target=[1, *written[0, :-1].tolist()])
    until = (written[0] == END).nonzero()
    n = int(until[0]) + 1 if len(until) else written.shape[1]
    assert torch.equal(logits[0, :n].argmax(-1), written[0, :n])
    assert torch.all(written[0, n:] == PAD)


def test_a_row_of_a_batch_is_as_it_is_alone():
    model = build()
    rows, lengths = torch.tensor([SOURCE, [4, 3, 0, 0, 0]]), torch.tensor([5, 2])
    both, _ = model.follow(rows, lengths, torch.tensor([TARGET, TARGET]))
    close(both[1], follow(model, source=[4, 3])[0][0].detach())


def test_first_weights_come_from_the_generator_alone():
    before = torch.get_rng_state()
    a, b = build(), build()
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters(), strict=True))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: build(ahead=-1), "AttentionOnlySeq2Seq: ahead must be at least 0, got -1"),
        (lambda: build(width=0), "AttentionOnlySeq2Seq: width must be at least 1, got 0"),
        (lambda: follow(build(), source=[]), "AttentionOnlySeq2Seq.read: lengths must be"),
        (
            lambda: attention_only_by_loops([], TARGET, attention_only_weights(build())),
            "source and target_in must be sequences that hold a symbol",
        ),
        (
            lambda: attention_only_by_loops(
                SOURCE, TARGET, attention_only_weights(build()), -1
            ),
            "and ahead at least 0, got 5, 4 and -1",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_cache_grows_by_one_position_a_step():
    model, kept = build(), None
    for at in range(3):
        _, kept = model.step(torch.tensor([4]), at, kept)
        assert kept.k.shape[2] == at + 1
    assert extend(None, kept) is kept
