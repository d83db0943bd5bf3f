"""Words of a sentence, and draws that belong to a word."""

from typing import Any

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, text, whole
from attention_course.reference._checked import checked

MAX_WORDS = 8
_DROPPED = ' \t\n\u00a0.,;:!?"()[]{}\u2026\u201c\u201d\u201e\u00ab\u00bb'


def _words(text: str) -> list[str]:
    words = text.translate(dict.fromkeys(map(ord, _DROPPED), " ")).split(" ")
    return [word for word in words if word]


def _some_words(call: Call, argument: str, text: Any) -> str:
    if not isinstance(text, str) or not _words(text):
        raise call.fail(argument, "text with at least one word", repr(text))
    return text


@checked(text=_some_words)
def split_words(text: str) -> list[str]:
    """Cut a sentence at blanks and punctuation; at most eight words are kept.

    Args:
        text: the sentence. Capital letters are kept: *The* and *the* are two words.

    Returns:
        One to eight words.

    Source:
        As in Raschka (2023), who drops the comma and splits at blanks.

    >>> split_words("Life is short, eat dessert first")
    ['Life', 'is', 'short', 'eat', 'dessert', 'first']
    """
    return _words(text)[:MAX_WORDS]


@checked(name=text, n=whole(1))
def named_draws(name: str, n: int) -> Float[np.ndarray, " n"]:
    r"""Draw standard normals from a generator that a name seeds.

    .. math:: h \leftarrow (h \oplus b) \cdot 16777619 \bmod 2^{32}
       \quad \text{for every byte } b \text{ of the name}

    Args:
        name: any text; the same name gives the same numbers.
        n: how many.

    Returns:
        The first ``n`` draws of ``RandomState(h)``.

    Source:
        The hash is FNV-1a (Fowler, Noll and Vo) with 32 bits.

    >>> bool((named_draws("bank", 2) == named_draws("bank", 3)[:2]).all())
    True
    """
    h = 2166136261
    for byte in name.encode():
        h = (h ^ byte) * 16777619 % 2**32
    return np.random.RandomState(h).standard_normal(n)
