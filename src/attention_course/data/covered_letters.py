"""English words with one letter covered: which was it?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_course._shapes import Int
from attention_course.data.batches import pad
from attention_course.data.cmudict import load_cmudict
from attention_course.data.vocabulary import END, START, Vocabulary

COVER = "_"
LETTERS = Vocabulary(COVER + "abcdefghijklmnopqrstuvwxyz")
FIRST = LETTERS.encode("a")[0]  # the number of the letter a; b to z follow


@dataclass(frozen=True)
class CoveredBatch:
    """Words with one letter covered each.

    Attributes:
        tokens: start mark, letters with one covered, end mark, padding; one word a row.
        positions: where the cover is, counted from the start mark at 0.
        answers: which letter is under it, 0 for a to 25 for z.
    """

    tokens: Int[np.ndarray, "batch length"]
    positions: Int[np.ndarray, " batch"]
    answers: Int[np.ndarray, " batch"]


def letter_words(
    rng: np.random.RandomState, held_out: int = 2000, shortest: int = 4, longest: int = 12
) -> tuple[list[str], list[str]]:
    """Draw some words of CMUdict to test on; the others are for training.

    Args:
        rng: the generator that draws them.
        held_out: how many are put aside.
        shortest: letters that a word must have.
        longest: letters that a word may have.

    Returns:
        The words to train on and the held-out ones.

    Raises:
        ValueError: if there are not that many words.

    Source:
        Carnegie Mellon Pronouncing Dictionary; see ``corpora/cmudict/PROVENANCE.md``.

    >>> train, test = letter_words(np.random.RandomState(0))
    >>> len(train), len(test), sorted(set(train) & set(test))
    (110796, 2000, [])
    """
    words = ["".join(w) for w, _ in load_cmudict() if shortest <= len(w) <= longest]
    if not 0 < held_out < len(words):
        raise ValueError(
            f"letter_words: held_out must be from 1 to {len(words) - 1}, got {held_out}"
        )
    order = rng.permutation(len(words))
    return [words[i] for i in order[held_out:]], [words[i] for i in order[:held_out]]


def spell_out(
    words: Sequence[str],
) -> tuple[Int[np.ndarray, "words length"], Int[np.ndarray, " words"]]:
    """Write words as numbers, between a start mark and an end mark.

    Args:
        words: of the letters a to z, none empty.

    Returns:
        One row a word, padded with 0, and how many letters each has.

    Raises:
        ValueError: if a word is empty or has another character.

    >>> spell_out(["ab", "c"])
    (array([[1, 4, 5, 2],
           [1, 6, 2, 0]]), array([2, 1]))
    """
    if not words or not all(words):
        raise ValueError(
            f"spell_out: words must be one or more, none empty, got {list(words)!r}"
        )
    rows, lengths = pad([[START, *LETTERS.encode(word), END] for word in words])
    return rows, lengths - 2


def cover_every_letter(words: Sequence[str]) -> CoveredBatch:
    """Cover each letter of each word once.

    Args:
        words: of the letters a to z.

    Returns:
        As many rows as the words have letters, word after word.

    >>> batch = cover_every_letter(["ab"])
    >>> batch.tokens.tolist(), batch.answers.tolist()
    ([[1, 3, 5, 2], [1, 4, 3, 2]], [0, 1])
    """
    rows, lengths = spell_out(words)
    which = np.repeat(np.arange(len(rows)), lengths)
    positions = np.concatenate([np.arange(1, n + 1) for n in lengths])
    return _cover(rows[which], positions)


class CoveredLetters:
    """Draws words from a list and covers one letter of each.

    Args:
        words: of the letters a to z.
        size: words in a batch.

    Raises:
        ValueError: if ``size`` is not positive, or as :func:`spell_out`.

    >>> batch = CoveredLetters(["attention"], size=2).draw(np.random.RandomState(0))
    >>> batch.positions, batch.answers
    (array([5, 7]), array([13,  8]))
    """

    def __init__(self, words: Sequence[str], size: int):
        if size < 1:
            raise ValueError(f"CoveredLetters: size must be positive, got {size}")
        self.rows, self.lengths = spell_out(words)
        self.size = size

    def draw(self, rng: np.random.RandomState) -> CoveredBatch:
        """Return the next batch, drawn with ``rng`` alone."""
        which = rng.randint(len(self.rows), size=self.size)
        share = rng.random_sample(self.size)
        positions = (share * self.lengths[which]).astype(np.int64) + 1
        return _cover(self.rows[which], positions)


def _cover(rows: np.ndarray, positions: np.ndarray) -> CoveredBatch:
    tokens, here = rows.copy(), np.arange(len(rows))
    answers = rows[here, positions] - FIRST
    tokens[here, positions] = LETTERS.encode(COVER)[0]
    return CoveredBatch(tokens, positions, answers)
