"""Byte-pair encoding: bytes are joined, the pair that was learned first before all others."""

import itertools
import re
from collections.abc import Sequence

# GPT-2's rule for what is never joined, with Python's classes of characters.
_LETTER, _OTHER = r"[^\W\d_]", r"(?:[^\s\w]|_)"
WORDS = re.compile(
    rf"'(?:s|t|re|ve|m|ll|d)| ?{_LETTER}+| ?\d+| ?{_OTHER}+|\s+(?!\S)|\s+", re.UNICODE
)


class BytePairs:
    """SmolLM2's tokeniser: GPT-2's, where each digit is a token.

    Args:
        vocabulary: all tokens.
        merges: pairs that were joined in learning, "a b", the first first.

    Source:
        Sennrich et al. (2016), section 3.2; Radford et al. (2019), section 2.2, for bytes.

    >>> BytePairs(["t", "h", "e", "th", "the"], ["t h", "th e"]).tokens("the")
    ['the']
    """

    def __init__(self, vocabulary: Sequence[str], merges: Sequence[str]):
        self.vocabulary = [*vocabulary]
        self.numbers = {token: n for n, token in enumerate(self.vocabulary)}
        self.ranks = {tuple(pair.split(" ")): n for n, pair in enumerate(merges)}
        self.signs = byte_signs()
        self.bytes = {sign: byte for byte, sign in self.signs.items()}

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text; a space is written Ġ.

        Raises:
            ValueError: if the text is empty.
        """
        if not text:
            raise ValueError("BytePairs: text must not be empty, got ''")
        parts = re.split(r"(\d)", text)
        words = [word for part in parts for word in WORDS.findall(part)]
        return [token for word in words for token in self._join(word)]

    def __call__(self, text: str) -> list[int]:
        """Return the numbers of the tokens."""
        return [self.numbers[token] for token in self.tokens(text)]

    def text(self, numbers: Sequence[int]) -> str:
        """Return the text that such tokens write."""
        signs = "".join(self.vocabulary[n] for n in numbers)
        return bytes(self.bytes[sign] for sign in signs).decode(errors="replace")

    def _join(self, word: str) -> list[str]:
        parts = [self.signs[byte] for byte in word.encode()]
        while len(parts) > 1:
            pairs = [*itertools.pairwise(parts)]
            first = min(pairs, key=lambda pair: self.ranks.get(pair, len(self.ranks)))
            if first not in self.ranks:
                break
            parts = _joined(parts, first)
        return parts


def byte_signs() -> dict[int, str]:
    """Return a visible sign for each of the 256 bytes.

    Returns:
        Printable bytes are written as themselves; the others, the space among them, as signs
        from 256 on.

    Source:
        Radford et al. (2019): the table of their published code.

    >>> byte_signs()[ord("a")], byte_signs()[ord(" ")]
    ('a', 'Ġ')
    """
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {
        byte: chr(256 + n) for n, byte in enumerate(hidden)
    }


def _joined(parts: list[str], pair: tuple[str, ...]) -> list[str]:
    """Join the pair wherever it occurs, from the left."""
    found: list[str] = []
    i = 0
    while i < len(parts):
        both = tuple(parts[i : i + 2]) == pair
        found.append("".join(pair) if both else parts[i])
        i += 2 if both else 1
    return found
