"""A text as one row of words, with an end put aside for testing."""

from collections.abc import Sequence

import numpy as np

from attention_course.data.characters import CharacterText
from attention_course.data.parallel import frequent, known, load_parallel


def word_text(size: int = 3000, held_out: float = 0.05) -> CharacterText:
    """Read all English verses as one row of lower-case words and marks.

    Args:
        size: words in the vocabulary, the mark for unknown words included.
        held_out: the share of the words put aside, from the end of the text.

    Returns:
        The text; its vocabulary is chosen from the training part alone.

    Source:
        Based on public-domain texts; see ``corpora/parallel/PROVENANCE.md``.

    >>> text = word_text()
    >>> " ".join(text.symbols.decode(text.train[:10].tolist()))
    'in the beginning god created the heavens and the earth'
    """
    if not 0 < held_out < 1:
        raise ValueError(f"word_text: held_out must be between 0 and 1, got {held_out}")
    verses: list[Sequence[str]] = [verse.english for verse in load_parallel()]
    words = [word for verse in verses for word in verse]
    end = round((1 - held_out) * len(words))
    symbols = frequent([words[:end]], size)
    numbers = np.array(symbols.encode(known(words, symbols)))
    return CharacterText(numbers[:end], numbers[end:], symbols)
