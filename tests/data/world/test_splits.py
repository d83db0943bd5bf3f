"""What is held out is not in training; what is in training is known."""

import random
from functools import cache

import pytest

from attention_course.data.world import (
    Pair,
    combinations,
    parse,
    phenomena,
    split_sentences,
    translates,
)  # fmt: skip
from attention_course.data.world.splits import Split, _halves, _held_out, _possible


@cache
def sets() -> Split:
    return split_sentences(3, train=1200, test=40)


def leaks(sets: Split) -> list[str]:
    """Return in words what is wrong with a split."""
    longest = max(max(len(p.english), len(p.french)) for p in sets.train)
    seen = {words for p in sets.train for words in (p.english, p.french)}
    tested = [*sets.sentences, *sets.combinations, *sets.longer]
    found = {
        "a held-out combination is in training": any(
            combinations(p) & sets.held_out for p in [*sets.train, *sets.sentences]
        ),
        "a test sentence is in training": any({p.english, p.french} & seen for p in tested),
        "a sentence is no longer than in training": any(
            max(len(p.english), len(p.french)) <= longest for p in sets.longer
        ),
        "a sentence has no held-out combination": not all(
            combinations(p) & sets.held_out for p in sets.combinations
        ),
    }
    return [name for name, holds in found.items() if holds]


def test_nothing_held_out_is_in_training():
    assert leaks(sets()) == []


def test_each_word_of_a_held_out_combination_is_left_in_others():
    """Most of what a word can be combined with is not held out, whatever the seed."""
    for seed in range(20):
        out = _held_out(random.Random(seed), 0.1)
        left = {half for one in set(_possible()) - out for half in _halves(one)}
        assert {half for one in out for half in _halves(one)} <= left
        assert len(out) == round(0.1 * len(_possible())) > 100


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("the red dress is beautiful .", "adjective red dress"),
        ("the queen washes the old red mat .",
         "adjective old mat, adjective red mat, object wash mat"),
        ("the girl eats the apple that the king sees .", "object eat apple"),
        ("the children lose their blue balls .", "adjective blue ball, object lose ball"),
        ("the king seeks a cake and eats it .", "object seek cake"),
        ("the girl sleeps .", ""),
    ],
)  # fmt: skip
def test_combinations_by_hand(sentence, found):
    (tree, *_) = parse(sentence.split(), "english")
    written = ", ".join(" ".join(one) for one in sorted(combinations(Pair(tree))))
    assert written == found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("does the queen leave the ball ?", "question, word of two meanings"),
        ("the girl did not lose her hat .", "negation, possessive"),
        ("the cat that sleeps hears the king .", "relative clause"),
        ("the woman is old and the lawyers are tall .", ""),
        ("the girl finds a beautiful watch and loses it .", "adjective at its noun, pronoun"),
    ],
)
def test_phenomena_by_hand(sentence, found):
    trees = parse(sentence.split(), "english")
    assert {", ".join(sorted(phenomena(Pair(tree), "english"))) for tree in trees} == {found}


@pytest.mark.parametrize(
    ("english", "french", "right"),
    [
        ("the girl runs to the bank .", "la fille court vers la banque .", True),
        ("the girl runs to the bank .", "la fille court vers la rive .", True),
        ("the girl runs to the bank .", "la fille court vers la rue .", False),
        ("the girl runs to the bank .", "la fille court vers la rive", False),
        ("the girl swims to the bank .", "la fille nage vers la rive .", True),
        ("the girl swims to the bank .", "la fille nage vers la banque .", False),
        ("the girl swims to the bank .", "", False),
    ],
)
def test_any_right_translation_counts_and_no_wrong_one(english, french, right):
    assert translates(french.split(), english.split(), "english") is right


@pytest.mark.parametrize("wrong", [{"train": 0}, {"test": 0}, {"share": 1.0}, {"longest": 0}])
def test_a_split_that_cannot_be_is_refused(wrong):
    with pytest.raises(
        ValueError, match="split_sentences: train, test and longest must be at least 1"
    ):
        split_sentences(0, **{"train": 5, "test": 5} | wrong)
