"""Sentences of a part of the small world: lengths, words, what is held out, what is right."""

import numpy as np
import pytest

from attention_course.data.world import write
from attention_course.data.world.grammar import small_world
from attention_course.data.world.sentences import (
    PART,
    part_of_the_world,
    part_vocabularies,
    random_sentences,
    right_translations,
)


def test_sentences_have_4_to_10_words_of_the_part_and_their_target_is_right():
    english, french = part_vocabularies()
    assert min(len(english), len(french)) > 100
    pairs = random_sentences(300, np.random.RandomState(0))
    for source, target in pairs:
        assert 4 <= len(english.encode(source.split())) - 1 <= 10
        french.encode(target.split())
        assert target in right_translations(source)
    assert len({source for source, _ in pairs}) > 250


def test_no_sentence_of_the_training_part_is_held_out():
    rng = np.random.RandomState(1)
    learned = {pair.source for pair in random_sentences(2000, rng)}
    tested = {pair.source for pair in random_sentences(400, rng, held_out=True)}
    assert len(tested) > 300
    assert not learned & tested


def test_the_part_has_no_dead_end():
    rng = np.random.RandomState(2)
    for _ in range(5000):
        write(rng, world=part_of_the_world())
    lacking = small_world(PART - {"heavy"})  # money is heavy or nothing
    with pytest.raises(IndexError):
        [write(rng, world=lacking) for _ in range(5000)]


def test_two_meanings_of_a_word_are_both_in_it():
    assert right_translations("the lawyer eats the avocado .") == [
        "l' avocat mange l' avocat ."
    ]
    assert len(right_translations("they is .")) == 0
