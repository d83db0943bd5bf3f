"""A text as a row of characters, with an end put aside for testing."""

from dataclasses import dataclass

import numpy as np

from attention_course._shapes import Int
from attention_course.data.parallel import load_parallel
from attention_course.data.vocabulary import Vocabulary


@dataclass(frozen=True)
class CharacterText:
    """What a language model of characters learns from.

    Attributes:
        train: numbers of the characters to learn from, in order.
        test: those put aside, from the end of the text.
        symbols: the characters.
    """

    train: Int[np.ndarray, " characters"]
    test: Int[np.ndarray, " rest"]
    symbols: Vocabulary

    def draw(
        self, rng: np.random.RandomState, rows: int = 24, length: int = 49
    ) -> Int[np.ndarray, "rows length"]:
        """Return pieces of the training part that begin anywhere."""
        starts = rng.randint(len(self.train) - length, size=rows)
        return self.train[starts[:, None] + np.arange(length)]

    def held_out(self, rows: int, length: int) -> Int[np.ndarray, "rows length"]:
        """Return the first pieces of the test part, one behind the other."""
        return self.test[: rows * length].reshape(rows, length)


def character_text(verses: int = 6000, held_out: int = 20000) -> CharacterText:
    """Read English verses as one row of lower-case characters.

    Args:
        verses: how many, from the beginning.
        held_out: characters put aside at the end.

    Returns:
        The text.

    Raises:
        ValueError: if less than half of the text is left to learn from.

    Source:
        Based on public-domain texts; see ``corpora/parallel/PROVENANCE.md``.

    >>> text = character_text(100, 2000)
    >>> "".join(text.symbols.decode(text.train[:29].tolist()))
    'in the beginning god created '
    """
    text = " ".join(" ".join(verse.english) for verse in load_parallel(verses))
    if not 0 < held_out <= len(text) // 2:
        raise ValueError(
            f"character_text: held_out must be from 1 to {len(text) // 2}, got {held_out}"
        )
    symbols = Vocabulary(text)
    numbers = np.array(symbols.encode(text))
    return CharacterText(numbers[:-held_out], numbers[-held_out:], symbols)
