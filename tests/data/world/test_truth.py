"""Exact probabilities, deciders, and sentences as people type them."""

import math
import random
from collections import Counter

import pytest

from attention_course.data.world import (
    Beginning,
    Pair,
    deciders,
    next_words,
    parse,
    read_sentence,
    roles,
    translations,
    write,
)  # fmt: skip


@pytest.mark.parametrize("language", ["french", "english"])
def test_next_words_multiply_to_the_probability_of_the_sentence(language):
    """Two ways to one number: left to right by beginnings, and bottom up by parts."""
    rng = random.Random(9)
    for _ in range(2):
        words = write(rng).sentence(language)
        total = 0.0
        for n, word in enumerate(words):
            after = next_words(words[:n], language)
            assert sum(after.values()) == pytest.approx(1)
            total += math.log(after[word])
        assert total == pytest.approx(math.log(Beginning(words, language).probability()))
    assert next_words(words, language) == {}
    assert next_words(words[-1:], language) == {}
    with pytest.raises(ValueError, match=r"list of the grammar's words.*'The'"):
        next_words(["The"], language)


def test_next_words_are_as_frequent_as_they_are_written():
    rng, n = random.Random(5), 2500
    written = Counter(write(rng).sentence("english")[0] for _ in range(n))
    for word, p in next_words([], "english").items():
        assert abs(written[word] / n - p) < 4.5 * math.sqrt(p * (1 - p) / n) + 1e-4, word


CROSSED = "the animal did not cross the street because it was too"


@pytest.mark.parametrize(
    ("sentence", "language", "word", "decided_by"),
    [
        (f"{CROSSED} tired .", "english", "il", "animal tired"),
        (f"{CROSSED} wide .", "english", "elle", "street wide"),
        ("the girl swims to the bank .", "english", "rive", "swims"),
        ("the red dress is beautiful .", "english", "belle", "dress"),
        ("the woman buys a light dress .", "english", "légère", "dress"),
        ("the queen left the ball .", "english", "bal", "left"),
        ("l' avocat mange l' avocat .", "french", "avocado", "mange"),
        ("la femme porte la robe .", "french", "wears", "robe"),
        ("la fille perd son livre .", "french", "her", "fille"),
        ("the girl runs to the bank .", "english", "banque", ""),  # open: nothing says which
    ],
)  # fmt: skip
def test_the_word_that_decides_is_found(sentence, language, word, decided_by):
    words = sentence.split()
    pairs = [Pair(tree) for tree in parse(words, language)]
    pair = next(p for p in pairs if word in (p.french if language == "english" else p.english))
    target = pair.french if language == "english" else pair.english
    found = deciders(pair, language)[target.index(word)]
    assert " ".join(words[n] for n in sorted(found)) == decided_by
    assert roles(pair, language)[-1] == "other"


@pytest.mark.parametrize(
    ("typed", "language", "right"),
    [
        ("The NEIGHBOR didn't see the cat", "english", "le voisin n' a pas vu le chat ."),
        ("L’école est claire.", "french", "the school is light ."),
        ("l'ecole est claire", "french", "the school is light ."),
        ("La voisine a vu le gateau", "french", "the neighbour saw the cake ."),
        ("La reine montre la cle au roi", "french", "the queen shows the key to the king ."),
        ("The girl sleeps, and the cat runs!!", "english", "la fille dort et le chat court ."),
        ("does the cat eat the apple", "english", "est-ce que le chat mange la pomme ?"),
        ("The girl sees a dress that’s beautiful", "english",
         "la fille voit une robe qui est belle ."),
    ],
)  # fmt: skip
def test_what_people_type_is_read(typed, language, right):
    assert right in {" ".join(words) for words in translations(typed, language)}


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("the girl saw the dog and it was young", "et il était jeune ."),
        ("the girl saw the dog and she was young", "et elle était jeune ."),
        ("the boy saw the mouse and it was young", "et elle était jeune ."),
    ],
)
def test_it_is_never_a_person(typed, right):
    (words,) = translations(typed, "english")
    assert " ".join(words[-5:]) == right


@pytest.mark.parametrize(
    ("typed", "language", "said"),
    [
        ("  ", "english", "expected a sentence, got no word"),
        ("...", "english", "expected a sentence, got no word"),
        ("the girl eats 3 apples", "english", "no english word '3'"),
        (
            "the womans sleep",
            "english",
            "no english word 'womans'; the nearest are woman, women",
        ),
        ("the girl the", "english", "after 'the girl' expected another word .*got 'the'"),
        ("la fille mange le oiseau", "french", "after 'la fille mange le' .*got 'oiseau'"),
        ("the neighbor's cat runs", "english", 'no english word "neighbor\'s"'),
        ("le chat court", "german", "language must be one of french, english, got 'german'"),
        ("the " * 201, "english", "at most 200 words, got 201"),
    ],
)
def test_what_cannot_be_read_is_said_in_words(typed, language, said):
    with pytest.raises(ValueError, match=said):
        translations(typed, language)


def test_two_hundred_words_are_read():
    long = " and ".join(["the cat sleeps"] * 50)
    assert len(read_sentence(long, "english")) == 200
    assert len(translations(long, "english", most=1)) == 1
