"""The sentences of a step: text with places for numbers, as the script fills them too."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attention_course.drawing._sketch import cell_text, look_up

LONGEST = 6  # numbers of a vector that a sentence names


def fill(text: str, values: Mapping[str, Any]) -> str:
    """Put numbers into a sentence.

    Args:
        text: ``{scores.2}`` stands for what is at that place, a number, a vector or a word;
            ``{#top}`` for a place counted from 1; ``{a * b}`` for the products of two vectors.
        values: what the places name.

    >>> fill("{a * b} = {c}; {#top}", {"a": [1.0, 2.5], "b": [3.0, -4.0], "c": -7.0, "top": 0})
    '1·3 + 2.5·(−4) = −7; 1'
    """
    return re.sub(r"\{([^}]+)\}", lambda found: _said(found[1], values), text)


def _said(name: str, values: Mapping[str, Any]) -> str:
    if name.startswith("#"):
        return str(look_up(values, name[1:]) + 1)
    first, _, second = name.partition(" * ")
    if second:
        return _products(look_up(values, first), look_up(values, second))
    found = look_up(values, name)
    if isinstance(found, list):
        numbers = [cell_text(x) for x in found[:LONGEST]]
        return f"[{', '.join(numbers)}{', …' if len(found) > LONGEST else ''}]"
    return cell_text(found).replace("> ", "more than ")


def _products(a: Sequence[float], b: Sequence[float]) -> str:
    pairs = [f"{_bracketed(x)}·{_bracketed(y)}" for x, y in zip(a, b, strict=True)][:LONGEST]
    return " + ".join(pairs) + (" + …" if len(a) > LONGEST else "")


def _bracketed(x: float) -> str:
    return f"({cell_text(x)})" if x < 0 else cell_text(x)
