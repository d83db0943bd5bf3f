"""Self-attention on a sentence: words, draws, and the stages against the plain functions."""

import numpy as np
import pytest

from attention_course.reference import (
    causal_mask,
    named_draws,
    self_attention,
    self_attention_by_loops,
    sentence_attention,
    sinusoidal_positions,
    split_words,
)
from attention_course.reference.labs.sentence import MASKS

SENTENCE = "She visited the money bank, near the bank."


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


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("positions", [False, True])
def test_the_stages_are_self_attention(mask, positions):
    s = sentence_attention(SENTENCE, 3, 5, 2, mask, positions)
    seen = {"none": None, "causal": causal_mask(8), "others": ~np.eye(8, dtype=bool)}[mask]
    matrices = s["W_q"], s["W_k"], s["W_v"]
    for attend in (self_attention, self_attention_by_loops):
        context, weights = attend(s["x"], *matrices, seen)
        np.testing.assert_allclose(s["context"], context, atol=1e-12)
        np.testing.assert_allclose(s["weights"], weights, atol=1e-12)
    np.testing.assert_allclose(s["scores"], s["q"] @ s["k"].T, atol=1e-12)
    np.testing.assert_allclose(s["scaled"] * np.sqrt(3), s["scores"], atol=1e-12)
    hidden = np.zeros((8, 8), bool) if seen is None else ~seen
    assert np.array_equal(np.isneginf(s["masked"]), hidden)


def test_positions_are_added_and_nothing_else():
    bare, placed = (sentence_attention(SENTENCE, positions=p)["x"] for p in (False, True))
    np.testing.assert_allclose(placed - bare, sinusoidal_positions(8, 8), atol=1e-12)


def test_a_word_has_its_numbers_wherever_it_stands():
    one = sentence_attention("the bank near the river bank")
    two = sentence_attention("bank")
    np.testing.assert_array_equal(one["x"][1], one["x"][5])
    np.testing.assert_array_equal(one["x"][1], two["x"][0])
    assert not np.allclose(one["x"][1], sentence_attention("Bank")["x"][0])
    assert not np.allclose(one["x"][1], sentence_attention("bank", seed=1)["x"][0])


def test_a_wider_key_keeps_the_columns_that_were_there():
    narrow, wide = (sentence_attention(SENTENCE, d_k=d) for d in (3, 8))
    np.testing.assert_array_equal(wide["W_q"][:, :3], narrow["W_q"])
    np.testing.assert_array_equal(wide["W_v"], narrow["W_v"])


def test_a_word_alone_that_may_not_see_itself_gets_zeros():
    s = sentence_attention("alone", mask="others")
    assert not s["context"].any()
    assert not s["weights"].any()
