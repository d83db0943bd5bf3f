"""Recall over a distance: at every step a word comes with a digit, and one is asked for."""

import numpy as np

from attention_course._shapes import Int
from attention_course.data.lookup import N_DIGITS


def recall_batch(
    rng: np.random.RandomState, size: int, n: int = 128
) -> tuple[
    Int[np.ndarray, "batch n"],
    Int[np.ndarray, "batch n"],
    Int[np.ndarray, "batch n"],
    Int[np.ndarray, "batch n"],
]:
    """Draw sequences of words with a digit each, and a question at every step.

    The n words of a sequence are all different. Each step asks for the digit of one word that
    has come: the present one, at a distance of 0, or an earlier one. Short distances and long
    ones are asked for equally often (on a logarithmic scale).

    Args:
        rng: where the sequences are drawn from; advanced in place.
        size: how many sequences, at least 1.
        n: steps, and size of the vocabulary; at least 1.

    Returns:
        Words, their digits, the words that are asked for, and their distances in steps.

    Source:
        Written for this course, after the associative recall of Arora et al. (2024).

    >>> words, digits, asked, distance = recall_batch(np.random.RandomState(0), 2, n=5)
    >>> steps = np.arange(5) - distance
    >>> bool(np.all(np.take_along_axis(words, steps, axis=1) == asked))
    True
    """
    for name, number in (("size", size), ("n", n)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(
                f"recall_batch: {name} must be a positive whole number, got {number!r}"
            )
    words = rng.random_sample((size, n)).argsort(axis=1)
    digits = rng.randint(N_DIGITS, size=(size, n))
    drawn = (np.arange(n) + 2.0) ** rng.random_sample((size, n)) - 1
    distance = np.minimum(drawn.astype(int), np.arange(n))
    asked = np.take_along_axis(words, np.arange(n) - distance, axis=1)
    return words, digits, asked, distance
