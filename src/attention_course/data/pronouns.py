"""Sentences in which a later adjective decides what an earlier *it* means."""

import numpy as np

from attention_course._shapes import Int

ANIMALS = ("animal", "dog", "horse", "fox", "child", "cat", "cow", "goat")
PLACES = ("street", "river", "bridge", "field", "road", "square", "valley", "canal")
OF_ANIMALS = ("tired", "sleepy", "hungry", "scared")
OF_PLACES = ("wide", "long", "deep", "narrow")
FRAME = ("the", "didn't", "cross", "stop", "because", "it", "was", "too")
WORDS = FRAME + ANIMALS + PLACES + OF_ANIMALS + OF_PLACES
LENGTH, IT = 11, 7


def pronoun_sentence(animal: str, place: str, adjective: str, animal_first: bool = True) -> str:
    """Write one sentence of the task.

    Args:
        animal: one of ``ANIMALS``.
        place: one of ``PLACES``.
        adjective: one of ``OF_ANIMALS`` or ``OF_PLACES``.
        animal_first: whether the animal crosses the place, or the place stops the animal.

    Returns:
        Eleven words; *it* is the eighth, the adjective the last.

    Source:
        The pair *too tired* / *too wide* is widely used; of unknown origin.

    >>> pronoun_sentence("animal", "street", "tired")
    "the animal didn't cross the street because it was too tired"
    """
    first, verb, second = (animal, "cross", place) if animal_first else (place, "stop", animal)
    return f"the {first} didn't {verb} the {second} because it was too {adjective}"


def held_out_pair(animal: int, place: int) -> bool:
    """Say whether this pair of nouns is kept for testing; every fourth is.

    Args:
        animal: number of the animal.
        place: number of the place.

    Returns:
        True if no training sentence holds both.

    >>> sum(held_out_pair(a, p) for a in range(8) for p in range(8))
    16
    """
    return (animal + place) % 4 == 0


def pronoun_batch(
    rng: np.random.RandomState, size: int, held_out: bool = False
) -> tuple[Int[np.ndarray, "batch words"], Int[np.ndarray, " batch"]]:
    """Draw sentences, and for each what *it* stands for.

    Half of them have the animal first, half the place; half the adjectives fit animals.

    Args:
        rng: where they are drawn from; advanced in place.
        size: how many.
        held_out: draw pairs of nouns that training never shows.

    Returns:
        The words as numbers into ``WORDS``, and the number of the noun that is meant.

    >>> from attention_course.data.pronouns import WORDS
    >>> words, meant = pronoun_batch(np.random.RandomState(0), 2)
    >>> [WORDS[w] for w in words[0]][-3:], WORDS[meant[0]]
    (['was', 'too', 'long'], 'canal')
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"pronoun_batch: size must be a positive whole number, got {size!r}")
    rows: list[list[int]] = []
    meant = []
    while len(rows) < size:
        animal, place = rng.randint(8), rng.randint(8)
        adjective, first = rng.randint(8), bool(rng.randint(2))
        if held_out_pair(animal, place) != held_out:
            continue
        kind = OF_ANIMALS + OF_PLACES
        words = pronoun_sentence(ANIMALS[animal], PLACES[place], kind[adjective], first)
        rows.append([WORDS.index(word) for word in words.split()])
        meant.append(WORDS.index(ANIMALS[animal] if adjective < 4 else PLACES[place]))
    return np.array(rows), np.array(meant)
