"""The marked sentences: each word is there, once, and no distance alone finds its partner."""

from collections import Counter

import numpy as np

from attention_course.data.syntax import PARSED, RELATIONS
from attention_course.measure import recorded
from attention_course.models.pretrained.wordpiece import split_words


def test_every_marked_word_stands_once_in_its_sentence():
    for sentence in PARSED:
        words = split_words(sentence.text)
        marked = [word.lower() for pair in sentence.partners.values() for word in pair]
        assert {words.count(word) for word in marked} == {1}, sentence.text
    assert len(PARSED) == len({sentence.text for sentence in PARSED}) == 40


def test_pairs_have_the_distances_on_record_and_none_has_two_thirds():
    stored, _ = recorded("real_model_syntax")
    for relation in RELATIONS:
        steps = []
        for sentence in PARSED:
            if relation in sentence.partners:
                words = split_words(sentence.text)
                word, partner = (words.index(w.lower()) for w in sentence.partners[relation])
                steps.append(partner - word)
        assert steps == stored[relation]["steps"]
        assert len(steps) >= 36
        assert max(Counter(np.array(steps)).values()) < 2 / 3 * len(steps)
