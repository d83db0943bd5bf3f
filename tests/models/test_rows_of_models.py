"""Every model: equal to its loops, right gradients, one generator, what it must not see."""

import numpy as np
import pytest
import torch
from module_cases import CASES, FOUND, OF, RNG, SEQ2SEQ, fresh, slopes_agree
from rows import amiss, is_right
from rows_models import (
    CAUSAL,
    N_SOURCE,
    ROWS,
    SOURCES,
    TARGETS,
    TRANSLATORS,
    attention_only,
    bahdanau,
    gnmt,
    padded,
    transformer,
)
from torch import nn

from attention_course import models as m
from attention_course.data import Batch, Vocabulary, pad
from attention_course.data.vocabulary import END, PAD
from attention_course.models.experiments.glimpses import GLIMPSERS, Glimpser
from attention_course.models.experiments.lookup import METHODS as LOOKUPS
from attention_course.training import fit

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")


@is_right(ROWS)
def test_it_is_what_its_loops_say(of):
    assert list(amiss(of)) == []


SMALL = [row for row in CASES if row.inputs is SEQ2SEQ]


@pytest.mark.parametrize("row", SMALL, ids=lambda row: row.id)
def test_gradients_agree_with_finite_differences(row):
    assert slopes_agree(row)


def drawn(name, seed):
    rng = np.random.RandomState(seed)
    with torch.random.fork_rng():  # for an encoder that is handed over
        torch.manual_seed(0)
        sizes = [rng if size is RNG else fresh(size) for size in OF[name].sizes]
    return FOUND[name](*sizes, **OF[name].choices)


DRAWN = [name for name, row in OF.items() if RNG in row.sizes]


@pytest.mark.parametrize("name", DRAWN)
def test_first_weights_come_from_the_generator_alone(name):
    before, one = torch.get_rng_state(), drawn(name, 0).state_dict()
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(9)
    two, other = (drawn(name, seed).state_dict() for seed in (0, 1))
    assert all(torch.equal(x, two[part]) for part, x in one.items())
    assert any(not torch.equal(x, other[part]) for part, x in one.items())


every_translator = pytest.mark.parametrize("name", TRANSLATORS)
ATTENTIVE = pytest.mark.parametrize("name", [n for n in TRANSLATORS if n[:11] != "FixedVector"])


@every_translator
def test_padding_never_leaks_whatever_stands_there(name):
    model, (source, lengths), target = TRANSLATORS[name](), padded(), torch.tensor(TARGETS)
    spoiled = torch.where(source == 0, 9, source)
    logits = model(source, lengths, target)
    for other in (spoiled, nn.functional.pad(spoiled, (0, 3), value=8)):
        assert (logits - model(other, lengths, target)).abs().max() < 1e-12
    alone = torch.cat([model(*padded([s]), target[i : i + 1]) for i, s in enumerate(SOURCES)])
    assert (logits - alone).abs().max() < 1e-12
    tables = [part for part in model.modules() if isinstance(part, nn.Embedding)]
    read = next(part for part in tables if part.num_embeddings == N_SOURCE)
    model(spoiled, lengths, target).square().sum().backward()
    assert (read.weight.grad[[9, 3]].abs().amax(1) > 0).tolist() == [False, True]


@ATTENTIVE
def test_padding_has_no_weight_and_each_row_sums_to_one(name):
    weights = TRANSLATORS[name]().follow(*padded(), torch.tensor(TARGETS))[1]
    assert weights[1, ..., 1:].abs().sum() == 0
    sums = weights.sum(-1)
    assert sums.max() < 1 + 1e-12
    if "local" not in name and not name.startswith("FixedContext"):
        assert sums.min() > 1 - 1e-12


@every_translator
def test_a_later_symbol_changes_nothing_before_it(name):
    model, target = TRANSLATORS[name](), torch.tensor(TARGETS)
    before = model(*padded(), target)
    target[:, 2] = 7
    moved = (model(*padded(), target) - before).abs().amax((0, 2)) > 1e-12
    assert moved.tolist() == [False, False, True]


@every_translator
def test_writing_greedily_is_following_what_was_written(name):
    model, looked = TRANSLATORS[name](seed=3), None
    if "FixedVector" in name:
        written = model.generate(*padded(), longest=6)
    else:
        written, looked = model.write(*padded(), longest=6)
    fed = torch.cat([torch.ones(3, 1, dtype=torch.long), written[:, :-1]], 1)
    for i, (row, wanted) in enumerate(
        zip(written, model(*padded(), fed).argmax(-1), strict=True)
    ):
        end = int((row == END).nonzero()[0]) + 1 if (row == END).any() else len(row)
        assert row[:end].tolist() == wanted[:end].tolist()
        assert (row[end:] == PAD).all()
        if looked is not None:
            off = looked - model.follow(*padded(), fed)[1]
            assert off[i, ..., :end, :].abs().sum() < 1e-12


CALLED = [
    (bahdanau, ["attention.U_a"], ["attention.W_a"]),
    (attention_only, ["cross.W_k", "cross.W_v"], ["cross.W_q"]),
    (transformer, ["core.encoder.0.feed_forward.W_1", "core.decoder.0.cross.W_k"], []),
]


@pytest.mark.parametrize(("build", "once", "each"), CALLED)
def test_the_source_is_read_once_however_much_is_written(build, once, each):
    model, calls = build(), []
    for name in (*once, *each):
        part = model.get_submodule(name)
        part.register_forward_hook(lambda *_, name=name: calls.append(name))
    steps = model.generate(*padded([[3, 5, 4, 8, 7]]), longest=4).shape[1]
    assert sorted(calls) == sorted(once + each * steps)


@pytest.mark.parametrize("name", CAUSAL)
def test_a_later_word_changes_nothing_before_it(name):
    model = CAUSAL[name]()
    rows = torch.from_numpy(np.random.RandomState(1).randint(3, 9, (2, 18)))
    other = rows.clone()
    other[:, 11:] = 3 + (other[:, 11:] - 2) % 6
    off = (model(other) - model(rows)).abs().amax((0, 2))
    assert off[:11].max() == 0
    assert off[11] > 1e-6


@every_translator
def test_the_courses_loss_and_translate_take_it(name):
    model, targets = TRANSLATORS[name](), [[3, 2], [4, 5, 2], [2]]
    loss = m.sequence_loss(model, Batch(*pad(SOURCES), *pad(targets)))
    logs = model(*padded(), torch.tensor([[1, 3, 3], [1, 4, 5], [1, 3, 3]])).log_softmax(-1)
    true = [logs[i, t, y] for i, row in enumerate(targets) for t, y in enumerate(row)]
    assert abs(loss + sum(true) / len(true)) < 1e-12
    words = Vocabulary("abcde")
    together = m.translate(model, SOURCES, words, longest=4, size=2)
    assert together == [m.translate(model, [s], words, longest=4)[0] for s in SOURCES]


@every_translator
@pytest.mark.parametrize("lengths", [[4, 1, 0], [5, 1, 2], [4, 1]])
def test_lengths_that_cannot_be_are_refused(name, lengths):
    with pytest.raises(ValueError, match=rf"{name.split()[0]}.*: lengths must be"):
        TRANSLATORS[name]()(padded()[0], torch.tensor(lengths), torch.tensor(TARGETS))


ALIKE = [
    (lambda x: gnmt(residual=x), (True, False)),
    (lambda x: m.Asker(x, np.random.RandomState(0), 8, 6), ("two looks", "even")),
    (lambda x: Glimpser(x, np.random.RandomState(0), 6, 5), GLIMPSERS),
]


@pytest.mark.parametrize(("build", "ways"), ALIKE, ids=["GNMT", "Asker", "Glimpser"])
def test_rivals_start_from_the_same_weights(build, ways):
    first, *others = (build(way).state_dict() for way in ways)
    for other in others:
        assert first.keys() == other.keys()
        assert all(torch.equal(first[name], other[name]) for name in first)


@pytest.mark.parametrize("way", LOOKUPS)
def test_a_narrow_model_learns_the_look_up(way):
    rng = np.random.RandomState(0)
    model = m.LookupModel(way, 16, rng)
    assert m.lookup_accuracy(model, np.random.RandomState(1), 500) < 0.3
    fit(model, m.lookup_tensors, m.lookup_loss, rng, steps=300, lr=3e-3, progress=False)
    assert m.lookup_accuracy(model, np.random.RandomState(1), 500) > 0.9
