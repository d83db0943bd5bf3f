"""Where a translator looks and what a cut does, against cases worked by hand."""

import numpy as np
import pytest
import torch

from attention_course.data.vocabulary import Vocabulary
from attention_course.data.world import Pair, deciders, parse
from attention_course.models.translators._translator import Translator
from attention_course.models.translators.against_truth import (
    Cut,
    Effect,
    Gaze,
    cut_effects,
    cuts_of,
    far_apart,
    gaze,
    mean_gaze,
)
from attention_course.models.translators.luong import Memory

# the red dress . -> la robe rouge . : *dress* decides *la*; *rouge* may come from both words
OWN = [frozenset({0}), frozenset({2}), frozenset({1, 2}), frozenset()]
DECIDED = [frozenset({2}), frozenset(), frozenset(), frozenset()]
WEIGHTS = np.array([[0.3, 0.1, 0.6, 0], [0, 0.25, 0.75, 0], [0, 0.5, 0.5, 0], [1.0, 0, 0, 0]])


def test_a_gaze_by_hand():
    found = gaze(WEIGHTS, OWN, DECIDED)
    assert found.on_source == pytest.approx((0.3 + 0.75 + 1) / 3)
    assert found.on_decider == pytest.approx(0.6)
    # links 0-2, 1-2, 2-1; sure 0-0, 1-2; possible these and 2-1, 2-2
    assert found.alignment_error == pytest.approx(1 - (1 + 2) / (3 + 2))


def test_what_has_no_place_has_no_gaze():
    assert gaze(WEIGHTS, [frozenset()] * 4, [frozenset()] * 4) == Gaze(None, None, None)
    assert mean_gaze([]) == mean_gaze([Gaze(None, None, None)]) == Gaze(None, None, None)


@pytest.mark.parametrize("short", ["weights", "own", "decided"])
def test_rows_of_another_number_are_refused(short):
    given = {"weights": WEIGHTS, "own": OWN, "decided": DECIDED}
    with pytest.raises(ValueError, match="a row for each word of the translation, got"):
        gaze(**given | {short: given[short][:3]})


def test_cuts_of_a_sentence_by_hand():
    assert cuts_of(OWN, DECIDED) == [Cut(2, (0,), (3,))]
    assert cuts_of(OWN, [frozenset()] * 4) == []
    pair = Pair(parse(["the", "girl", "swims", "to", "the", "bank", "."], "english")[0])
    found = cuts_of(pair.alignment("english"), deciders(pair, "english"))
    words = [(pair.english[c.position], [pair.french[n] for n in c.decided]) for c in found]
    assert words == [("girl", ["la"]), ("swims", ["rive"])]


@pytest.mark.parametrize(
    ("decided", "other", "clean"),
    [((True,), (), True), ((True, False), (False,), True), ((False,), (False,), False),
     ((True,), (False, True), False), ((), (), False)],
)  # fmt: skip
def test_a_clean_cut_changes_a_word_that_it_decides_and_no_other(decided, other, clean):
    assert Effect(decided, other).clean is clean


def test_no_sentence_is_followed_by_itself():
    rng = np.random.RandomState(0)
    for _ in range(200):
        counts = rng.randint(0, 5, size=rng.randint(12, 20))
        groups = np.repeat(np.arange(len(counts)), counts)
        order = far_apart(groups.tolist())
        assert sorted(order) == [*range(len(groups))]
        assert (groups[order] != np.roll(groups[order], -1)).all()
    assert far_apart([]) == []
    with pytest.raises(ValueError, match="over a third of the rows, got 2 of 5"):
        far_apart([0, 0, 1, 2, 3])


ENGLISH = Vocabulary(["the", "girl", "man", "swims", "runs", "to", "bank", "."])
FRENCH = Vocabulary(["rive", "banque", "."])
SOURCES = [f"the {who} {does} to the bank ." for who in ("girl", "man") for does in
           ("swims", "swims", "runs")]  # fmt: skip


class Swimmer(Translator):
    """Writes *rive* where it finds *swims* in what it may look at, else *banque*."""

    def read(self, source, lengths):
        vectors = torch.nn.functional.one_hot(source, len(ENGLISH)).double()
        return Memory(vectors, torch.arange(source.shape[1]) < lengths[:, None])

    def forward(self, source, lengths, target_in):
        memory = self.read(source, lengths)
        (swims,) = ENGLISH.encode(["swims"])
        seen = (memory.states[..., swims] * memory.mask).max(1).values > 0.5
        logits = torch.zeros(*target_in.shape, len(FRENCH))
        rive, banque, stop = FRENCH.encode(["rive", "banque", "."])
        logits[range(len(source)), 0, torch.where(seen, rive, banque)] = 1
        logits[:, 1, stop] = 1
        return logits


TOLD = Cut(2, (0,), (1,))


def effects(blade, cuts=(TOLD,)):
    """Cut *swims* or *runs*, which decides the first word and not the second."""
    source = torch.tensor([ENGLISH.encode(text.split())[:7] for text in SOURCES])
    lengths = torch.full((len(SOURCES),), 7)
    right = [["rive" if "swims" in text else "banque", "."] for text in SOURCES]
    wanted = np.array([FRENCH.encode(words)[:2] for words in right])
    target_in = torch.ones(len(SOURCES), 2, dtype=torch.long)
    return cut_effects(
        Swimmer(), source, lengths, target_in, wanted, [cuts] * len(SOURCES), blade
    )


@pytest.mark.parametrize(
    ("blade", "lost"),
    [  # the next sentence of the batch swims, runs, swims, swims, runs, swims
        ("zero", [True, True, False, True, True, False]),
        ("mean", [True, True, False, True, True, False]),
        ("other", [False, True, True, False, True, True]),
    ],
)
def test_three_blades_by_hand(blade, lost):
    found = effects(blade)
    assert [effect.decided for effect in found] == [(each,) for each in lost]
    assert {effect.other for effect in found} == {(False,)}
    assert [effect.clean for effect in found] == lost


def test_another_sentences_word_is_not_the_same_sentences():
    """Two cuts of a sentence stand side by side; neither may lend the other its word."""
    found = effects("other", (TOLD, Cut(1, (), (0,))))
    assert [effect.clean for effect in found[::2]] == [False, True, True, False, True, True]
    assert not any(effect.clean for effect in found[1::2])


def test_words_that_were_wrong_before_do_not_count(monkeypatch):
    before = Swimmer.forward
    monkeypatch.setattr(
        Swimmer, "forward", lambda self, *batch: before(self, *batch).roll(1, -1)
    )
    assert {*effects("zero")} == {Effect((), ())}


def test_another_blade_is_refused():
    with pytest.raises(ValueError, match="blade must be one of"):
        effects("blunt")
