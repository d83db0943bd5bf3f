"""Words that belong together: what a sentence's own grammar says, and no other word."""

import random

import pytest

from attention_course.data.world import Pair, linked_words, parse, roles, write
from attention_course.data.world.links import LINKS


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("a boy that the man seeks does not read the book .", "subject",
         ["seeks man", "does boy", "not boy", "read boy"]),
        ("the cat eats the warm cake and the dog sleeps .", "verb", ["the eats", "warm eats"]),
        ("the boys follow the mouse and it is small .", "noun", ["it mouse"]),
        ("the boys follow the mouse and they are small .", "noun", ["they boys"]),
        ("the girl buys the trousers and wears them .", "noun", ["them trousers"]),
        ("the boys follow the mouse and they are small .", "subject",
         ["follow boys", "are they"]),
        ("is the street long ?", "subject", []),
        ("the girl sleeps .", "previous", ["girl the", "sleeps girl", ". sleeps"]),
    ],
)  # fmt: skip
def test_each_link_leads_to_the_word_that_a_reader_would_name(text, kind, expected):
    words = text.split()
    found = linked_words(Pair(parse(words, "english")[0]))[kind]
    assert [f"{words[i]} {words[j]}" for i, j in found.items()] == expected


def test_links_of_drawn_sentences_lead_back_to_words_of_the_right_kind():
    rng, count = random.Random(0), dict.fromkeys(LINKS, 0)
    to = {"verb": {"verb"}, "noun": {"noun"}, "subject": {"noun", "pronoun"}}
    for _ in range(300):
        pair = Pair(write(rng))
        kinds = roles(pair, "english")
        for kind, found in linked_words(pair).items():
            count[kind] += len(found)
            assert all(j < i for i, j in found.items())
            assert {kinds[j] for j in found.values()} <= to.get(kind, {*kinds})
    assert min(count.values()) > 50
