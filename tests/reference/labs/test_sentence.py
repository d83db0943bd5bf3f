"""Words of a sentence, and the draws that belong to a word."""

import numpy as np
import pytest

from attention_course.reference import named_draws, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Life is short, eat dessert first", "Life is short eat dessert first"),
        ("  Wait … what?! (Yes.)", "Wait what Yes"),
        ("“don't”\u00a0«well-known»", "don't well-known"),
        ("a b c d e f g h i", "a b c d e f g h"),
    ],
)
def test_words_are_cut_at_blanks_and_punctuation(text, words):
    assert split_words(text) == words.split()


def fnv_1a(text):
    h = 0x811C9DC5
    for byte in text.encode("utf-8"):
        h ^= byte
        h = (h * 0x01000193) & 0xFFFFFFFF
    return h


def test_the_hash_is_the_published_one():
    assert fnv_1a("a") == 0xE40C292C  # a test vector of the hash's authors
    wanted = np.random.RandomState(0xE40C292C).standard_normal(5)
    np.testing.assert_array_equal(named_draws("a", 5), wanted)
    wanted = np.random.RandomState(fnv_1a("naïve")).standard_normal(5)
    np.testing.assert_array_equal(named_draws("naïve", 5), wanted)
