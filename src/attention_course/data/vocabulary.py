"""Symbols and their numbers."""

from collections.abc import Iterable, Sequence

PAD, START, END = 0, 1, 2


class Vocabulary:
    """Numbers for symbols: 0 pads, 1 starts, 2 ends, the symbols follow in sorted order.

    Args:
        symbols: every symbol that may occur; repetitions do no harm.

    Raises:
        ValueError: if there are no symbols.

    >>> letters = Vocabulary("robe")
    >>> letters.encode("bore"), letters.decode([3, 5, 6, 4, 2, 0])
    ([3, 5, 6, 4], ['b', 'o', 'r', 'e'])
    """

    def __init__(self, symbols: Iterable[str]):
        self.symbols = ["<pad>", "<start>", "<end>", *sorted(set(symbols))]
        if len(self.symbols) == 3:
            raise ValueError("Vocabulary: symbols must be at least one, got none")
        self._number = {symbol: number for number, symbol in enumerate(self.symbols)}

    def __len__(self) -> int:
        return len(self.symbols)

    def __contains__(self, symbol: str) -> bool:
        return symbol in self._number

    def encode(self, sequence: Iterable[str]) -> list[int]:
        """Return the number of each symbol.

        Raises:
            ValueError: if a symbol is not in the vocabulary.
        """
        try:
            return [self._number[symbol] for symbol in sequence]
        except KeyError as missing:
            raise ValueError(
                f"Vocabulary.encode: symbols must be among {self.symbols[3:]}, got {missing}"
            ) from None

    def decode(self, numbers: Sequence[int]) -> list[str]:
        """Return the symbols up to the first end mark, without padding."""
        symbols = []
        for number in numbers:
            if number == END:
                break
            if number not in (PAD, START):
                symbols.append(self.symbols[number])
        return symbols
