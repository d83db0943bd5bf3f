"""A dictionary look-up: the smallest task that cannot be solved without attention."""

import numpy as np

from attention_course._shapes import Int

N_WORDS, N_PAIRS, N_DIGITS = 32, 16, 10


def lookup_batch(
    rng: np.random.RandomState, size: int
) -> tuple[
    Int[np.ndarray, "batch pairs"],
    Int[np.ndarray, "batch pairs"],
    Int[np.ndarray, " batch"],
    Int[np.ndarray, " batch"],
]:
    """Draw rows of 16 foreign words with a digit each, and one English word to look up.

    A vocabulary has 32 words; word number w in one language translates word number w in the
    other. The 16 words of a row are all different, so exactly one of them is the translation.

    Args:
        rng: where the rows are drawn from; advanced in place.
        size: how many rows, at least 1.

    Returns:
        Foreign words, their digits, the English word, and the position of its translation.

    Source:
        Written for this course; associative recall is an old test of memories.

    >>> words, digits, asked, position = lookup_batch(np.random.RandomState(0), 3)
    >>> words.shape, bool(np.all(words[np.arange(3), position] == asked))
    ((3, 16), True)
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"lookup_batch: size must be a positive whole number, got {size!r}")
    words = rng.random_sample((size, N_WORDS)).argsort(axis=1)[:, :N_PAIRS]
    digits = rng.randint(N_DIGITS, size=(size, N_PAIRS))
    position = rng.randint(N_PAIRS, size=size)
    return words, digits, words[np.arange(size), position], position
