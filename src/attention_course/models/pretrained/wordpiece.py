"""WordPiece: a word is cut into the longest pieces that the vocabulary has, from the left."""

import unicodedata
from collections.abc import Sequence


class WordPiece:
    """BERT's tokeniser, for lower-case text.

    Args:
        vocabulary: all pieces; ``##`` marks those that continue a word.

    Source:
        Devlin et al. (2019), section 3; Wu et al. (2016), section 4.1, for the pieces.

    >>> cut = WordPiece(["[CLS]", "[SEP]", "[UNK]", "the", "str", "##eet", "."])
    >>> cut.pieces("The street.")
    ['[CLS]', 'the', 'str', '##eet', '.', '[SEP]']
    """

    def __init__(self, vocabulary: Sequence[str]):
        self.vocabulary = [*vocabulary]
        self.numbers = {piece: n for n, piece in enumerate(self.vocabulary)}

    def pieces(self, text: str) -> list[str]:
        """Return the pieces of a text, between the marks that the model was trained with.

        Raises:
            ValueError: if the text has no words.
        """
        words = split_words(text)
        if not words:
            raise ValueError(f"WordPiece: text must hold at least one word, got {text!r}")
        return ["[CLS]", *(piece for word in words for piece in self._cut(word)), "[SEP]"]

    def __call__(self, text: str) -> list[int]:
        """Return the numbers of the pieces."""
        return [self.numbers[piece] for piece in self.pieces(text)]

    def _cut(self, word: str) -> list[str]:
        pieces: list[str] = []
        start = 0
        while start < len(word):
            piece = self._longest(word, start)
            if not piece:
                return ["[UNK]"]
            pieces.append(piece)
            start += len(piece.removeprefix("##")) if start else len(piece)
        return pieces

    def _longest(self, word: str, start: int) -> str:
        mark = "##" if start else ""
        ends = range(len(word), start, -1)
        tried = (mark + word[start:end] for end in ends)
        return next((piece for piece in tried if piece in self.numbers), "")


def split_words(text: str) -> list[str]:
    """Split a text at spaces and punctuation, in small letters without accents.

    Args:
        text: any.

    Returns:
        Its words; each mark of punctuation is a word.

    Source:
        Devlin et al. (2019), appendix; the rules are those of their published tokeniser.

    >>> split_words("Déjà vu: it didn't.")
    ['deja', 'vu', ':', 'it', 'didn', "'", 't', '.']
    """
    plain = unicodedata.normalize("NFD", text.lower())
    kept = (c for c in plain if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if _stands_alone(c) else c for c in kept).split()


def _stands_alone(c: str) -> bool:
    marks = c.isascii() and c.isprintable() and not c.isalnum() and c != " "
    chinese = 0x4E00 <= ord(c) <= 0x9FFF
    return marks or chinese or unicodedata.category(c).startswith("P")
