"""SMILES, molecules written as text: cut into tokens, and which of them are atoms."""

import re
from collections.abc import Sequence

# Bracketed atoms, elements of two letters, reaction arrows, two-digit rings, single characters.
TOKEN = re.compile(r"\[[^\]]+\]|Br|Cl|>>|%\d\d|.")


class Smiles:
    """RXNMapper's tokeniser.

    Args:
        vocabulary: all tokens.

    Source:
        Schwaller et al. (2019), whose pattern also lists the elements one by one.

    >>> Smiles(["[CLS]", "[SEP]", "[UNK]", "C", "Cl"]).pieces("CCl")
    ['[CLS]', 'C', 'Cl', '[SEP]']
    """

    def __init__(self, vocabulary: Sequence[str]):
        self.numbers = {token: n for n, token in enumerate(vocabulary)}

    def pieces(self, text: str) -> list[str]:
        """Return the tokens between the two marks.

        Raises:
            ValueError: if the text is empty.
        """
        if not text:
            raise ValueError("Smiles: text must not be empty, got ''")
        return ["[CLS]", *TOKEN.findall(text), "[SEP]"]

    def __call__(self, text: str) -> list[int]:
        """Return the numbers of the tokens."""
        unknown = self.numbers["[UNK]"]
        return [self.numbers.get(piece, unknown) for piece in self.pieces(text)]


def element(token: str) -> str:
    """Return the element of an atom's token, or nothing if it is no atom.

    Args:
        token: one token of a SMILES text.

    Returns:
        The element's sign with a capital letter; aromatic atoms are written small in SMILES.

    Source:
        Weininger (1988).

    >>> element("c"), element("[NH3+]"), element("Cl"), element("=")
    ('C', 'N', 'Cl', '')
    """
    if token in ("[CLS]", "[SEP]"):
        return ""
    found = re.fullmatch(r"\[?\d*(Cl|Br|[A-Z][a-z]?(?![a-z])|[a-z])[^\]]*\]?", token)
    return found[1].capitalize() if found else ""
