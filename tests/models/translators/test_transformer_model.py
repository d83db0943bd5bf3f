"""Encoder and decoder against torch's Transformer and the loops; the translator's promises."""

import numpy as np
import pytest
import torch
from torch import nn

from attention_course.data.batches import Batch
from attention_course.data.vocabulary import END, PAD
from attention_course.models.translators.encoder_decoder import blocks_of, from_torch, norm_of
from attention_course.models.translators.fixed_vector import sequence_loss
from attention_course.models.translators.transformer import Transformer
from attention_course.reference.transformer.transformer_block import encoder_decoder_by_loops

SOURCE, TARGET = [3, 5, 4, 8, 7], [1, 4, 5, 3]
REAL = torch.arange(7) < torch.tensor([7, 4, 6])[:, None]
FUTURE = ~torch.ones(5, 5, dtype=torch.bool).tril()


def draw(*shape, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape))


def close(one, other, atol=1e-10):
    one, other = (np.asarray(x.detach() if torch.is_tensor(x) else x) for x in (one, other))
    np.testing.assert_allclose(one, other, rtol=0, atol=atol)


@pytest.fixture(params=[False, True], ids=["after", "before"])
def theirs(request):
    model = nn.Transformer(
        16, 4, 2, 3, 32, dropout=0.0, batch_first=True, norm_first=request.param
    ).double()
    for i, p in enumerate(model.parameters()):
        p.data.copy_(draw(*p.shape, seed=i) * 0.3)
    return model


def inputs():
    return draw(3, 7, 16, seed=1).requires_grad_(), draw(3, 5, 16, seed=2).requires_grad_()


def torchs(theirs, x, y):
    masks = {"src_key_padding_mask": ~REAL, "memory_key_padding_mask": ~REAL}
    return theirs(x, y, tgt_mask=FUTURE, **masks)


pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")


def test_outputs_and_all_gradients_are_torchs(theirs):
    ours, (x, y) = from_torch(theirs), inputs()
    one, two = ours(x, y, REAL), torchs(theirs, x, y)
    close(one, two)
    weights = ours.encoder[0].attention.W_k.weight, theirs.encoder.layers[0].self_attn
    mine = torch.autograd.grad(one.square().sum(), (x, y, weights[0]))
    wanted = torch.autograd.grad(two.square().sum(), (x, y, weights[1].in_proj_weight))
    close(mine[0], wanted[0])
    close(mine[1], wanted[1])
    close(mine[2], wanted[2].chunk(3)[1])
    assert sum(p.numel() for p in ours.parameters()) == sum(
        p.numel() for p in theirs.parameters()
    )


def test_outputs_are_the_loops(theirs):
    ours, (x, y) = from_torch(theirs), inputs()
    by_loops = encoder_decoder_by_loops(
        x[1, :4].detach().numpy(),
        y[1].detach().numpy(),
        blocks_of(ours.encoder),
        blocks_of(ours.decoder),
        [norm_of(end) for end in ours.ends],
    )
    close(ours(x, y, REAL)[1], by_loops)


def spoil_final_norm(ours):
    ours.ends = nn.ModuleList([nn.Identity(), ours.ends[1]])


def spoil_norm_order(ours):
    block = ours.decoder[0]
    block.norms = nn.ModuleList([block.norms[1], block.norms[0], block.norms[2]])


def spoil_cross(ours):
    ours.decoder[1].cross = ours.decoder[1].attention


def spoil_relu(ours):
    ours.encoder[1].feed_forward.forward = lambda x: x


@pytest.mark.parametrize("spoil", [spoil_final_norm, spoil_norm_order, spoil_cross, spoil_relu])
def test_plausible_slips_would_be_noticed(theirs, spoil):
    ours, (x, y) = from_torch(theirs), inputs()
    spoil(ours)
    assert not torch.allclose(ours(x, y, REAL), torchs(theirs, x, y), atol=1e-4)


def test_torchs_with_dropout_or_another_activation_is_refused():
    for more in ({"dropout": 0.1}, {"dropout": 0.0, "activation": "gelu"}):
        theirs = nn.Transformer(8, 2, 1, 1, 8, batch_first=True, **more)
        with pytest.raises(ValueError, match="theirs must have ReLU and dropout 0"):
            from_torch(theirs)


def build(**more):
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 16, "n_layers": 2} | more
    return Transformer(9, 7, np.random.RandomState(0), **sizes).double()


def follow(model, source=SOURCE, target=TARGET, padding=0):
    rows = torch.tensor([source + [6] * padding])
    return model.follow(rows, torch.tensor([len(source)]), torch.tensor([target]))


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary", "alibi", "none"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_all_at_once_equals_step_by_step(positions, norm_first):
    model = build(positions=positions, norm_first=norm_first)
    kept, rows = model.read(torch.tensor([SOURCE]), torch.tensor([5])), []
    for symbol in TARGET:
        logits, kept, _ = model.step(torch.tensor([[symbol]]), kept)
        rows.append(logits)
    close(torch.cat(rows, 1), follow(model)[0])


def test_padding_behind_the_source_is_never_seen():
    model = build()
    plain, padded = follow(model), follow(model, padding=3)
    close(plain[0], padded[0])
    assert torch.all(padded[1][..., len(SOURCE) :] == 0)


def test_no_logit_depends_on_a_later_symbol():
    model, kept = build(), []
    model.E_y.register_forward_hook(lambda m, given, out: kept.append(out))
    logits, _ = follow(model)
    (slope,) = torch.autograd.grad(logits[0, 1].square().sum(), kept[0])
    assert (slope[0].norm(dim=-1) > 1e-12).tolist() == [True, True, False, False]


def test_what_is_written_is_the_likeliest_given_itself():
    model = build()
    written, weights = model.write(torch.tensor([SOURCE]), torch.tensor([5]), longest=6)
    logits, _ = follow(model, target=[1, *written[0, :-1].tolist()])
    until = (written[0] == END).nonzero()
    n = int(until[0]) + 1 if len(until) else written.shape[1]
    assert torch.equal(logits[0, :n].argmax(-1), written[0, :n])
    assert torch.all(written[0, n:] == PAD)
    assert weights.shape == (1, 2, written.shape[1], 5)


def test_the_source_is_read_once_however_much_is_written():
    model, calls = build(), []
    model.core.encoder[0].feed_forward.W_1.register_forward_hook(
        lambda m, given, out: calls.append("encoder")
    )
    model.core.decoder[0].cross.W_k.register_forward_hook(
        lambda m, given, out: calls.append("keys")
    )
    model.generate(torch.tensor([SOURCE]), torch.tensor([5]), longest=4)
    assert calls == ["encoder", "keys"]


def test_one_table_reads_and_chooses():
    model = build()
    one = np.array([[3]]), np.array([1])
    sequence_loss(model, Batch(*one, *one)).backward()
    assert (model.E_y.weight.grad.abs().sum(1) > 0).all()


def test_first_weights_come_from_the_generator_alone():
    before = torch.get_rng_state()
    a, b = build(), build()
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters(), strict=True))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: build(n_layers=0), "Transformer: n_layers must be at least 1, got 0"),
        (lambda: build(positions="clock"), "new_positions: kind must be one of"),
        (lambda: follow(build(), source=[]), "Transformer.read: lengths must be"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
