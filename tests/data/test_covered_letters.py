"""Covered letters and two targets: the tasks are what they say they are."""

import numpy as np
import pytest

from attention_course.data.covered_letters import (
    LETTERS,
    CoveredLetters,
    cover_every_letter,
    letter_words,
    spell_out,
)
from attention_course.data.two_targets import CONTENT, N_KINDS, N_TOKENS, two_targets_batch


def test_the_letter_under_the_cover_is_the_answer_and_is_not_shown():
    words = ["attention", "heads", "queue"]
    batch = cover_every_letter(words)
    letters = [(word, i) for word in words for i in range(len(word))]
    assert len(batch.tokens) == len(letters)
    for (word, i), tokens, position, answer in zip(
        letters, batch.tokens, batch.positions, batch.answers, strict=True
    ):
        shown = "".join(LETTERS.decode(tokens[1:].tolist()))
        assert shown == f"{word[:i]}_{word[i + 1 :]}"
        assert position == i + 1
        assert chr(ord("a") + answer) == word[i]


def test_every_letter_of_a_word_is_covered_about_equally_often():
    drawn = CoveredLetters(["word"], 4000).draw(np.random.RandomState(0)).positions
    counts = np.bincount(drawn, minlength=6)
    assert counts[0] == counts[5] == 0
    assert counts[1:5].min() > 900


def test_no_word_is_trained_and_tested():
    train, test = letter_words(np.random.RandomState(0))
    assert not set(train) & set(test)
    assert {len(word) for word in train} == set(range(4, 13))
    assert letter_words(np.random.RandomState(0))[1] == test


@pytest.mark.parametrize("words", [[], [""], ["a1"], ["it's"]])
def test_what_cannot_be_spelled_is_refused(words):
    with pytest.raises(ValueError, match=r"words must be one or more|symbols must be among"):
        spell_out(words)


def test_bad_numbers_are_refused():
    with pytest.raises(ValueError, match="CoveredLetters: size must be positive, got 0"):
        CoveredLetters(["word"], 0)
    with pytest.raises(ValueError, match="letter_words: held_out must be from 1 to"):
        letter_words(np.random.RandomState(0), held_out=0)
    for size in (0, True, 2.0):
        with pytest.raises(ValueError, match="two_targets_batch: size must be a positive"):
            two_targets_batch(np.random.RandomState(0), size)


def test_each_token_wants_the_contents_of_its_two_places():
    x, wanted, places = two_targets_batch(np.random.RandomState(3), 300)
    where, kinds, content = np.split(x, [N_TOKENS, N_TOKENS + N_KINDS], axis=-1)
    assert (where == np.eye(N_TOKENS)).all()
    for row in range(300):
        for token in range(N_TOKENS):
            before, partner = places[row, token]
            assert before == (token - 1) % N_TOKENS
            assert partner not in (token, before)
            assert (kinds[row, partner] == kinds[row, token]).all()
            np.testing.assert_array_equal(wanted[row, token, :CONTENT], content[row, before])
            np.testing.assert_array_equal(wanted[row, token, CONTENT:], content[row, partner])


def test_contents_have_mean_0_and_variance_1():
    _, wanted, _ = two_targets_batch(np.random.RandomState(1), 2000)
    assert abs(wanted.mean()) < 0.02
    assert wanted.var() == pytest.approx(1, abs=0.03)
