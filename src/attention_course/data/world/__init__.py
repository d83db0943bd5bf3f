"""A small world of people, animals, clothes and food, in French and English at once.

Its grammar writes sentences in both languages, says which word comes from which and which word
decides it, reads what somebody types, and knows how probable every next word is.
"""

from attention_course.data.world.grammar import for_the_page, small_world, vocabulary
from attention_course.data.world.links import linked_words
from attention_course.data.world.parser import parse
from attention_course.data.world.probabilities import Beginning, next_words
from attention_course.data.world.reading import read_sentence, translations
from attention_course.data.world.splits import Split, combinations, split_sentences
from attention_course.data.world.truth import deciders, phenomena, roles, translates
from attention_course.data.world.writer import Pair, write

__all__ = [
    "Beginning",
    "Pair",
    "Split",
    "combinations",
    "deciders",
    "for_the_page",
    "linked_words",
    "next_words",
    "parse",
    "phenomena",
    "read_sentence",
    "roles",
    "small_world",
    "split_sentences",
    "translates",
    "translations",
    "vocabulary",
    "write",
]  # fmt: skip
