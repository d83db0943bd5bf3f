"""A hundred pairs of sentences in which one late word decides what *it* means.

``minimal_pairs.txt`` has the candidates, the rules, and how two passes read each sentence.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

AGREED = ("ab", "ab")
MOST, WANTED = 6, 100


class MinimalPair(NamedTuple):
    """A frame with two nouns, and the words that decide for the one or the other."""

    frame: str  # {} where the deciding word stands
    nouns: tuple[str, str]
    words: tuple[str, str]  # the first decides for the first noun
    passes: tuple[str, str] = AGREED  # what each pass read in the two sentences

    @property
    def sentences(self) -> tuple[str, str]:
        """Both sentences, which differ in one word."""
        first, second = (self.frame.format(word) for word in self.words)
        return first, second


def read_pair(line: str) -> MinimalPair:
    """Read a line of the file.

    Args:
        line: frame, nouns, words and passes, with bars between.

    Raises:
        ValueError: if it is not of that form.

    >>> read_pair("The saw slid because it was {}. | saw log | blunt wet | ab a?")[1:]
    (('saw', 'log'), ('blunt', 'wet'), ('ab', 'a?'))
    """
    frame, *twos = (part.strip() for part in line.split("|"))
    found = [(two.split()[0], two.split()[-1]) for two in twos if len(two.split()) == 2]
    if frame.count("{}") != 1 or len(twos) != 3 or len(found) != 3:
        expected = "expected 'a frame with {} | two nouns | two words | two passes'"
        raise ValueError(f"read_pair: {expected}, got {line!r:.80}")
    return MinimalPair(frame, *found)


def agreed(candidates: Iterable[MinimalPair]) -> tuple[MinimalPair, ...]:
    """Return the pairs that both passes read as meant, a word in so many of them at most.

    Args:
        candidates: in the order in which they were written.

    >>> pair = MinimalPair("The {} fish.", ("a", "b"), ("x", "y"))
    >>> len(agreed([pair] * 9)), len(agreed([pair._replace(passes=("ab", "a?"))]))
    (6, 0)
    """
    uses: Counter[str] = Counter()
    kept = []
    for pair in candidates:
        if pair.passes == AGREED and all(uses[word] < MOST for word in pair.words):
            uses.update(pair.words)
            kept.append(pair)
    return tuple(kept)


_FILE = Path(__file__).with_suffix(".txt")
CANDIDATES = tuple(
    read_pair(line)
    for line in _FILE.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)
MINIMAL_PAIRS = agreed(CANDIDATES)[:WANTED]
