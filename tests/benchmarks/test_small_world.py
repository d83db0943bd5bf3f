"""The script that measures translators of the small world, against cases worked by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
import small_world as script
import torch

from attention_course.data.world import Pair, deciders, parse
from attention_course.models.translators._translator import Translator
from attention_course.models.translators.luong import Memory

SENTENCES = (
    "the girl swims to the bank .",
    "the red dress is beautiful .",
    "the old hat is green .",
    "a black cat sleeps .",
    "the yellow ball is small .",
)


@pytest.fixture
def few(monkeypatch):
    """Five sentences in the place of the test set."""
    pairs = [Pair(parse(sentence.split(), "english")[0]) for sentence in SENTENCES]
    monkeypatch.setattr(script, "sets", lambda: SimpleNamespace(sentences=pairs))
    decided = [deciders(pair, "english") for pair in pairs]
    monkeypatch.setattr(script, "positions", lambda language: decided)
    return pairs


class Looking:
    """A translator that follows with given weights."""

    def __init__(self, weights):
        self.weights = torch.tensor(np.stack(weights))

    def follow(self, source, lengths, target_in):
        return None, self.weights


def rows(pairs, look):
    """Return weights from each word's own and deciding positions."""
    found = np.zeros((len(pairs), 8, 7))
    for sentence, pair in enumerate(pairs):
        decided = deciders(pair, "english")
        for word, own in enumerate(pair.alignment("english")):
            found[sentence, word, :] = look(sorted(own), sorted(decided[word]))
    return found


def one_hot(place):
    return np.eye(7)[place]


def test_who_looks_at_the_words_own_source_makes_no_alignment_error(few):
    found = script.looks(Looking(rows(few, lambda own, decided: one_hot(own[0]))), "english")
    assert found == {"on_source": 1, "on_decider": 0, "alignment_error": 0}


def test_who_looks_at_the_decider_is_seen_to(few):
    look = rows(few, lambda own, decided: one_hot((decided or own)[0]))
    found = script.looks(Looking(look), "english")
    assert found["on_decider"] == 1
    assert 0.3 < found["on_source"] < 0.8
    assert found["alignment_error"] == pytest.approx(1 - found["on_source"], abs=0.1)


def test_who_looks_everywhere_alike_has_a_seventh_on_each(few):
    found = script.looks(Looking(rows(few, lambda own, decided: np.full(7, 1 / 7))), "english")
    assert found["on_decider"] == pytest.approx(1 / 7, abs=1e-3)


def test_heads_are_averaged_and_one_vector_has_no_place(few):
    look = rows(few, lambda own, decided: one_hot(own[0]))
    both = np.stack([look, np.zeros_like(look)], 1)
    assert script.looks(Looking(both), "english")["on_source"] == 0.5
    assert set(script.looks(Looking(look[..., :1]), "english").values()) == {None}


class Reading(Translator):
    """Writes *rive* if it may look at *swims*, and all other words rightly in any case."""

    def __init__(self, pairs, banque):
        super().__init__()
        self.wanted = [script.symbols("french").encode(pair.french) for pair in pairs]
        self.swims = script.symbols("english").encode(["swims"])[0]
        self.rive, self.banque = script.symbols("french").encode(["rive", banque])

    def read(self, source, lengths):
        return source, Memory(torch.zeros(*source.shape, 2), source != 0)

    def forward(self, source, lengths, target_in):
        source, memory = self.read(source, lengths)
        logits = torch.zeros(*target_in.shape, len(script.symbols("french")))
        for row, given in enumerate(target_in.tolist()):
            (words,) = [w for w in self.wanted if w == [n for n in given[1:] if n][: len(w)]]
            seen = (source[row] == self.swims) & memory.mask[row]
            for place, word in enumerate(words):
                lost = word == self.rive and not seen.any()
                logits[row, place, self.banque if lost else word] = 1
        return logits


def test_a_cut_of_the_decider_changes_the_word_that_it_decides_and_no_other(few):
    """Cut are *girl*, *swims* and the other nouns; only *swims* is used."""
    found = script.cuts(Reading(few, "banque"), "english")
    assert found["zero"]["clean"] == [round(1 / 6, 4), 6]
    assert found["zero"]["decided"][0] > 0
    assert found["zero"]["other"][0] == 0
    assert found["mean"]["decided"][0] == 0  # this reader looks at the mask alone
    assert found["zero"]["decided"][0] == round(1 / found["zero"]["decided"][1], 4)


def test_a_model_that_needs_nothing_loses_nothing(few):
    found = script.cuts(Reading(few, "rive"), "english")["zero"]
    assert [share for share, _ in found.values()] == [0, 0, 0]
    assert min(count for _, count in found.values()) > 2


@pytest.mark.parametrize("language", ["english", "french"])
def test_all_models_are_of_one_size(language):
    sizes = {
        name: sum(
            p.numel()
            for p in script.new_model(name, language, np.random.RandomState(0)).parameters()
        )
        for name in script.MODELS
    }
    middle = (max(sizes.values()) + min(sizes.values())) / 2
    assert max(sizes.values()) / middle - 1 < script.SPREAD, sizes
    assert max(sizes.values()) < 300_000  # a byte each in the page


def test_the_rate_rises_and_falls():
    assert script.rate(50) == script.LR * 0.5
    assert script.rate(script.STEPS) == pytest.approx(script.LR * 0.05)
    assert max(script.rate(step) for step in range(1, script.STEPS)) <= script.LR
