"""Short sentences of a part of the small world: what two models learn in a page."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from attention_course.data.vocabulary import Vocabulary
from attention_course.data.world.grammar import LANGUAGES, Grammar, small_world
from attention_course.data.world.parser import parse
from attention_course.data.world.writer import write

_CHOSEN = """
girl boy woman man king queen lawyer doctor cat dog horse fox animal
dress shirt coat hat trousers apple avocado cake egg milk
book letter newspaper key flower table chair garden house school street river bank money
small big tall old beautiful handsome heavy young good new
red blue black white green light tired hungry wide
see love eat drink wash draw wear carry read write find cross sleep sing run often
"""
PART = frozenset(_CHOSEN.split())
LENGTHS = 4, 10  # English words, without the mark at the end


class Sentence(NamedTuple):
    """An English sentence and the French that its grammar wrote with it."""

    source: str
    target: str


@cache
def part_of_the_world() -> Grammar:
    """Return the grammar of the words that are in ``PART``, in all their forms."""
    return small_world(PART)


@cache
def part_vocabularies() -> tuple[Vocabulary, Vocabulary]:
    """Return the English and the French words of the part.

    >>> [len(vocabulary) for vocabulary in part_vocabularies()]
    [185, 248]
    """
    rules = [rule for made in part_of_the_world().rules.values() for rule in made]
    french, english = (
        Vocabulary(w for r in rules for w in r.sides[side] if isinstance(w, str))
        for side in LANGUAGES
    )
    return english, french


def random_sentences(
    count: int, rng: np.random.RandomState, held_out: bool = False
) -> list[Sentence]:
    """Draw sentences of the part that have 4 to 10 English words.

    About every tenth is held out: the places of its words in the sorted vocabulary, from 0,
    have a sum that ends in 7. So no sentence of the training part is tested.

    Args:
        count: how many.
        rng: the generator that draws them.
        held_out: draw from the held-out sentences and not from the others.

    Returns:
        The pairs.

    Raises:
        ValueError: if the count is negative.

    >>> random_sentences(1, np.random.RandomState(0))[0].source
    'the foxes are beautiful .'
    """
    if count < 0:
        raise ValueError(f"random_sentences: count must not be negative, got {count}")
    english, _ = part_vocabularies()
    pairs: list[Sentence] = []
    while len(pairs) < count:
        tree = write(rng, world=part_of_the_world())
        words = tree.sentence("english")
        if not LENGTHS[0] <= len(words) - 1 <= LENGTHS[1]:
            continue
        if ((sum(english.encode(words)) - 3 * len(words)) % 10 == 7) == held_out:
            pairs.append(Sentence(" ".join(words), " ".join(tree.sentence("french"))))
    return pairs


def right_translations(source: str) -> Sequence[str]:
    """Return all French sentences that translate an English one of the part.

    >>> right_translations("the girl runs .")
    ['la fille court .']
    """
    return sorted({" ".join(t.sentence("french")) for t in parse(source.split(), "english")})
