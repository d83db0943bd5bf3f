"""The hundred pairs are those that the rules leave, and each can be read by a machine."""

from collections import Counter

import pytest

from attention_course.data.minimal_pairs import (
    CANDIDATES,
    MINIMAL_PAIRS,
    MOST,
    MinimalPair,
    agreed,
    read_pair,
)
from attention_course.models.pretrained.wordpiece import split_words

PERSONS = {"boy", "child", "player", "driver", "baby", "student", "king", "soldier", "teacher"}
PERSONS |= {"man", "woman", "farmer", "doctor", "girl", "team", "crowd", "museum", "family"}


def test_there_are_a_hundred_that_both_passes_read_alike_and_no_word_in_too_many():
    uses = Counter(word for pair in MINIMAL_PAIRS for word in pair.words)
    assert len(MINIMAL_PAIRS) == len({pair.frame for pair in MINIMAL_PAIRS}) == 100
    assert max(uses.values()) == MOST
    assert {pair.passes for pair in MINIMAL_PAIRS} == {("ab", "ab")}
    # The passes do disagree, and what they could not tell is kept in the file.
    assert sum(a != b for pair in CANDIDATES for a, b in zip(*pair.passes, strict=True)) == 8
    assert sum("?" in "".join(pair.passes) for pair in CANDIDATES) == 15


def test_every_noun_and_word_stands_once_and_none_is_a_person():
    for pair in CANDIDATES:
        for word, text in zip(pair.words, pair.sentences, strict=True):
            pieces = split_words(text)
            assert [pieces.count(w) for w in (*pair.nouns, word, "it")] == [1] * 4, text
        assert not PERSONS & {*pair.nouns}


def test_a_pair_that_a_pass_reads_otherwise_falls_and_the_next_moves_up():
    first = MINIMAL_PAIRS[0]
    doubted = [first._replace(passes=("ab", "a?")), *CANDIDATES[1:]]
    assert first not in agreed(doubted)
    assert agreed(doubted)[0] == MINIMAL_PAIRS[1]
    assert first.sentences[0].endswith("because it was too wide.")


@pytest.mark.parametrize("line", ["", "The {}. | a b | x y", "No hole. | a b | x y | ab ab"])
def test_a_line_of_another_form_is_refused(line):
    with pytest.raises(ValueError, match=r"read_pair: expected 'a frame with \{\} "):
        read_pair(line)


def test_a_pair_is_two_sentences():
    assert MinimalPair("It is {}.", ("a", "b"), ("x", "y")).sentences == (
        "It is x.",
        "It is y.",
    )
