"""The readers of *it*: their task, what they can know, what was recorded, what is concluded."""

import numpy as np
import pronouns as script
import pytest
import torch

from attention_course import models as m
from attention_course.data.pronouns import (
    ANIMALS,
    IT,
    LENGTH,
    OF_ANIMALS,
    PLACES,
    WORDS,
    held_out_pair,
    pronoun_batch,
    pronoun_sentence,
)
from attention_course.reference import self_attention, sinusoidal_positions


def sentences(held_out=False):
    rows, meant = pronoun_batch(np.random.RandomState(0), 400, held_out)
    return [[WORDS[w] for w in row] for row in rows], [WORDS[one] for one in meant]


def nouns(words):
    return {w for w in words if w in ANIMALS}.pop(), {w for w in words if w in PLACES}.pop()


def test_every_sentence_has_it_in_the_same_place_and_ends_in_the_adjective():
    assert len(set(WORDS)) == len(WORDS)
    for words in sentences()[0]:
        assert len(words) == LENGTH
        assert words[IT] == "it"


def test_the_adjective_alone_decides_which_noun_is_meant():
    for words, noun in zip(*sentences(), strict=True):
        animal, place = nouns(words)
        assert noun == (animal if words[-1] in OF_ANIMALS else place)


def test_animals_and_places_stand_first_alike_and_are_meant_alike():
    all_words, meant = sentences()
    first = np.mean([words[1] in ANIMALS for words in all_words])
    animal_meant = np.mean([noun in ANIMALS for noun in meant])
    assert 0.4 < first < 0.6
    assert 0.4 < animal_meant < 0.6


def test_no_training_sentence_holds_a_pair_that_is_tested():
    pairs = [{nouns(words) for words in sentences(held_out)[0]} for held_out in (False, True)]
    assert not pairs[0] & pairs[1]
    assert len(pairs[1]) == 16
    for words in sentences(held_out=True)[0]:
        animal, place = nouns(words)
        assert held_out_pair(ANIMALS.index(animal), PLACES.index(place))


def words_of(adjective):
    row = pronoun_sentence("animal", "street", adjective).split()
    return torch.tensor([[WORDS.index(word) for word in row]])


def test_the_reader_is_two_layers_of_the_reference():
    model = m.PronounReader(np.random.RandomState(0), causal=True).double()
    model.positions = torch.from_numpy(sinusoidal_positions(LENGTH, 32))
    E = model.embedding.detach().numpy()
    x = E[words_of("tired")[0]] + sinusoidal_positions(LENGTH, 32)
    for layer in model.layers:
        W = [p.detach().numpy() for p in (layer.W_q, layer.W_k, layer.W_v)]
        x = x + self_attention(x, *W, np.tri(LENGTH, dtype=bool))[0]
    logits, _ = model(words_of("tired"))
    np.testing.assert_allclose(logits[0].detach().numpy(), x[IT] @ E.T, atol=1e-10)


def test_a_causal_reader_says_the_same_of_it_whatever_comes_later():
    causal = m.PronounReader(np.random.RandomState(0), causal=True)
    free = m.PronounReader(np.random.RandomState(0))
    assert torch.equal(causal(words_of("tired"))[0], causal(words_of("wide"))[0])
    assert not torch.allclose(free(words_of("tired"))[0], free(words_of("wide"))[0])


def test_closing_no_line_changes_nothing_and_closed_lines_open_again():
    model = m.PronounReader(np.random.RandomState(0))
    accuracy = m.pronoun_accuracy(model, np.random.RandomState(1))
    logits, _ = model(words_of("tired"))
    assert script.without_lines(model, (), 1) == accuracy
    script.without_lines(model, (1, 5), 1)
    assert bool(model.mask.all())
    assert torch.equal(model(words_of("tired"))[0], logits)


def test_a_closed_line_carries_nothing(monkeypatch):
    model = m.PronounReader(np.random.RandomState(0))
    seen = {}

    def look(model, rng):
        seen["weights"] = model(words_of("tired"))[1]
        return 0.0

    monkeypatch.setattr(script, "pronoun_accuracy", look)
    script.without_lines(model, (1, 5), 1)
    for weights in seen["weights"]:
        assert not weights[0, IT, [1, 5]].any()
        assert weights[0, 0, [1, 5]].all()


def test_the_loss_of_a_reader_without_a_clue_is_that_of_guessing():
    model = m.PronounReader(np.random.RandomState(0))
    torch.nn.init.zeros_(model.embedding)
    loss = m.pronoun_loss(model, m.pronoun_tensors(np.random.RandomState(0), 8)).detach()
    assert float(loss) == pytest.approx(np.log(len(WORDS)), rel=1e-5)
