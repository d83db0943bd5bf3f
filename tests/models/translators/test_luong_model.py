"""Luong's model in torch, against the loops, finite differences and padding."""

import numpy as np
import pytest
import torch
from torch import nn

from attention_course.data import Batch, Vocabulary, pad
from attention_course.models import sequence_loss, translate
from attention_course.models.translators.decoding import ensemble_decode, replace_unknown
from attention_course.models.translators.luong import LuongSeq2Seq, luong_weights
from attention_course.reference.recurrent.luong import luong_by_loops

SIZES = {"embedding": 3, "width": 4, "longest": 3, "D": 1}
SOURCES = [[3, 4, 5, 10], [6], [7, 3]]
TARGETS_IN = [[1, 3, 4], [1, 5, 6], [1, 6, 3]]
EVERY = [
    {"score": "dot"},
    {"score": "general"},
    {"score": "concat"},
    {"score": "location"},
    {"scope": "local-m"},
    {"scope": "local-p"},
    {"scope": "local-p", "score": "concat", "D": 2},
    {"feeding": False},
    {"feeding": False, "scope": "local-m"},
    {"W_c": False},
    {"query": "step before"},
    {"query": "step before", "feeding": False},
    {"layers": 1},
    {"layers": 4},
]
KINDS = pytest.mark.parametrize("choices", EVERY, ids=str)


def build(seed=0, **choices):
    return LuongSeq2Seq(11, 8, np.random.RandomState(seed), **SIZES | choices).double()


def padded(sources=SOURCES):
    return tuple(map(torch.from_numpy, pad(sources)))


def off_by(model, p=None):
    """Largest difference between the model and the loops, logits and weights."""
    logits, weights = model.follow(*padded(), torch.tensor(TARGETS_IN))
    found = []
    for i, (source, target) in enumerate(zip(SOURCES, TARGETS_IN, strict=True)):
        wanted, a = luong_by_loops(source, target, p or luong_weights(model))
        found.append(np.abs(logits[i].detach().numpy() - wanted).max())
        found.append(np.abs(weights[i, :, : len(source)].detach().numpy() - a).max())
    return max(found)


@KINDS
def test_logits_and_weights_are_those_of_the_loops(choices):
    assert off_by(build(**choices)) < 1e-10


@pytest.mark.parametrize("embedding", [3, 4])
def test_the_loops_agree_when_all_widths_are_equal_too(embedding):
    assert off_by(build(seed=1, embedding=embedding, score="concat")) < 1e-10


def turned(p):
    d = p.W_c.shape[0]
    return p._replace(W_c=np.hstack([p.W_c[:, d:], p.W_c[:, :d]]))


def inputs_exchanged(p):
    bottom = p.decoder[0]
    x = np.hstack([bottom[0][:, 3:], bottom[0][:, :3]])
    return p._replace(decoder=[(x, *bottom[1:]), *p.decoder[1:]])


def reordered(layer):
    return tuple(np.concatenate([np.split(x, 4)[gate] for gate in (0, 1, 3, 2)]) for x in layer)


WRONG = {
    "state before context in W_c": turned,
    "fed vector before the embedding": inputs_exchanged,
    "general score transposed": lambda p: p._replace(W_a=p.W_a.T),
    "query of the step before": lambda p: p._replace(query="step before"),
    "no attentional layer": lambda p: p._replace(W_c=None),
    "gates in another order": lambda p: p._replace(decoder=[*map(reordered, p.decoder)]),
    "local window": lambda p: p._replace(scope="local-m", D=1),
    "dot instead of general": lambda p: p._replace(score="dot"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_one_writes_by_mistake_is_not_the_model(wrong):
    model = build()
    assert off_by(model) < 1e-10
    assert off_by(model, WRONG[wrong](luong_weights(model))) > 1e-4


@pytest.mark.parametrize("choices", [{}, {"scope": "local-p", "D": 3}, {"score": "concat"}])
def test_gradients_are_the_slopes_of_the_loops(choices):
    model, step = build(seed=2, **choices), 1e-5
    source, target = SOURCES[0], TARGETS_IN[0]
    logits, weights = model.follow(*padded([source]), torch.tensor([target]))
    (logits.pow(2).sum() + weights.pow(2).sum()).backward()
    slopes = {"W_c": model.W_c.weight, "W_s": model.W_s.weight, "E_x": model.E_x.weight}
    if model.score == "general":
        slopes["W_a"] = model.attention.score.W
    if model.score == "concat":
        slopes["v_a"] = model.attention.score.w_v
    if model.scope == "local-p":
        slopes["W_p"] = model.attention.predictor.W_p.weight
    rng = np.random.RandomState(0)
    for name, tensor in slopes.items():
        array = getattr(luong_weights(model), name)
        place = tuple(rng.randint(n) for n in array.shape)
        if name == "E_x":
            place = (source[1], place[1])
        found = []
        for sign in (1, -1):
            moved = luong_weights(model)
            getattr(moved, name)[place] += sign * step
            found.append(sum((out**2).sum() for out in luong_by_loops(source, target, moved)))
        slope = (found[0] - found[1]) / (2 * step)
        assert abs(slope - float(tensor.grad[place])) < 1e-6 * max(1, abs(slope)), name


def test_what_is_fed_in_reaches_the_second_step_and_not_the_first():
    weights = luong_weights(build())
    bottom, *upper = weights.decoder
    deaf = bottom[0] * np.array([1.0] * 3 + [0.0] * 4)  # to the fed vector, not to symbols
    cut = weights._replace(decoder=[(deaf, *bottom[1:]), *upper])
    a, _ = luong_by_loops(SOURCES[0], [1, 3], weights)
    b, _ = luong_by_loops(SOURCES[0], [1, 3], cut)
    assert np.array_equal(a[0], b[0])
    assert not np.allclose(a[1], b[1])


@KINDS
def test_padding_never_leaks_whatever_stands_there(choices):
    model = build(**choices)
    source, lengths = padded()
    target = torch.tensor(TARGETS_IN)
    spoiled = torch.where(source == 0, 9, source)
    longer = nn.functional.pad(spoiled, (0, 3), value=8)
    logits, _ = model.follow(source, lengths, target)
    for other in (spoiled, longer):
        assert (logits - model.follow(other, lengths, target)[0]).abs().max() < 1e-13
    alone = torch.cat([model(*padded([s]), target[i : i + 1]) for i, s in enumerate(SOURCES)])
    assert (logits - alone).abs().max() < 1e-12


@KINDS
def test_padding_gets_no_weight_and_no_gradient(choices):
    model = build(**choices)
    source, lengths = padded()
    spoiled = torch.where(source == 0, 9, source)
    logits, weights = model.follow(spoiled, lengths, torch.tensor(TARGETS_IN))
    logits.pow(2).sum().backward()
    assert model.E_x.weight.grad[9].abs().max() == 0
    assert weights[1, :, 1:].abs().max() == 0
    assert torch.isfinite(logits).all()
    sums = weights.sum(-1)
    if "scope" not in choices:
        assert (sums - 1).abs().max() < 1e-12
    assert sums.max() < 1 + 1e-12


def test_forget_gates_start_open_and_recurrent_matrices_orthogonal():
    for lstm in (build().encoder, build().decoder):
        for _, W_h, b_x, b_h in lstm.all_weights:
            assert (b_x + b_h).tolist() == [0.0] * 4 + [1.0] * 4 + [0.0] * 8
            for block in W_h.split(4):
                assert (block @ block.T - torch.eye(4)).abs().max() < 1e-6


def test_location_reads_no_source_state():
    model = build(score="location")
    _, a = model.follow(*padded([[3, 4, 5]]), torch.tensor([[1]]))
    before, sight = model.read(*padded([[3, 4, 5]]))
    other = type(sight)(sight.states * 2 + 1, sight.mask)
    h = before.lstm[0][-1].unsqueeze(1)
    assert torch.equal(model.look(h, sight)[1], model.look(h, other)[1])
    assert a.shape == (1, 1, 3)


def test_location_leaves_out_what_lies_beyond_its_longest():
    _, weights = build(score="location").follow(*padded([SOURCES[0]]), torch.tensor([[1, 3]]))
    assert weights[..., 3].abs().max() == 0
    assert (weights.sum(-1) - 1).abs().max() < 1e-12


def test_each_score_has_the_parameters_of_its_formula():
    counts = {
        score: sum(p.numel() for p in build(score=score).attention.parameters())
        for score in ("dot", "general", "concat", "location")
    }
    assert counts == {"dot": 0, "general": 16, "concat": 2 * 16 + 4, "location": 3 * 4}


def test_input_feeding_widens_the_bottom_layer_and_nothing_else():
    shapes = [
        {name: tuple(p.shape) for name, p in build(feeding=feeding).named_parameters()}
        for feeding in (True, False)
    ]
    assert {name for name in shapes[0] if shapes[0][name] != shapes[1][name]} == {
        "decoder.weight_ih_l0"
    }


@KINDS
def test_writing_greedily_is_following_what_was_written(choices):
    model = build(seed=3, **choices)
    source, lengths = padded()
    written, weights = model.write(source, lengths, longest=6)
    fed = torch.cat([torch.ones(3, 1, dtype=torch.long), written[:, :-1]], 1)
    logits, again = model.follow(source, lengths, fed)
    for i, (row, wanted) in enumerate(zip(written, logits.argmax(-1), strict=True)):
        end = int((row == 2).nonzero()[0]) + 1 if (row == 2).any() else len(row)
        assert row[:end].tolist() == wanted[:end].tolist()
        assert (row[end:] == 0).all()
        assert (weights[i, :end] - again[i, :end]).abs().max() < 1e-12


def test_an_ensemble_of_one_and_of_equals_writes_what_the_one_writes():
    model = build(seed=3)
    alone, weights = model.write(*padded(), longest=6)
    together, mean = ensemble_decode([model, model], *padded(), longest=6)
    assert torch.equal(alone, together)
    assert (weights - mean).abs().max() < 1e-12


def test_an_ensemble_averages_probabilities_and_not_logits():
    pair = [build(seed=3), build(seed=4)]
    pair[1].W_s.weight.data *= 20  # very sure of itself
    written, _ = ensemble_decode(pair, *padded(), longest=1)
    start = torch.tensor([[1]] * 3)
    chances = sum(m(*padded(), start).softmax(-1) for m in pair)[:, 0]
    assert torch.equal(written[:, 0], chances.argmax(-1))


def test_an_unknown_word_is_replaced_by_what_was_looked_at_and_others_stay():
    weights = torch.tensor([[[0.2, 0.8], [0.9, 0.1], [0.3, 0.7]]])
    written, copies = torch.tensor([[3, 3, 5]]), torch.tensor([[8, 9]])
    assert replace_unknown(written, weights, copies, 3).tolist() == [[9, 8, 5]]


def test_the_courses_loss_and_translate_take_it():
    model = build()
    batch = Batch(*pad(SOURCES), *pad([[3, 2], [4, 5, 2], [2]]))
    assert sequence_loss(model, batch).ndim == 0
    assert len(translate(model, SOURCES, Vocabulary("abcde"), longest=4)) == 3


def test_the_same_generator_gives_the_same_model_and_leaves_torch_alone():
    before = torch.get_rng_state()
    a, b = build(seed=1).state_dict(), build(seed=1).state_dict()
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert not torch.equal(a["W_s.weight"], build(seed=2).state_dict()["W_s.weight"])
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"width": 0}, "LuongSeq2Seq: width must be at least 1, got 0"),
        ({"score": "cosine"}, "score must be one of dot, general, concat, location, got 'cosi"),
        ({"scope": "local"}, "scope must be one of global, local-m, local-p, got 'local'"),
        ({"query": "s_t"}, "query must be one of this step, step before, got 's_t'"),
    ],
)
def test_choices_that_do_not_exist_are_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        build(**choices)


def test_an_empty_ensemble_and_impossible_lengths_are_refused():
    with pytest.raises(ValueError, match="ensemble_decode: models must be one or more"):
        ensemble_decode([], *padded())
    with pytest.raises(ValueError, match="LuongSeq2Seq: lengths must be"):
        build().read(padded()[0], torch.tensor([4, 1, 0]))
