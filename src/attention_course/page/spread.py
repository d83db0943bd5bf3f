"""A number that several runs gave: their mean, and half their range."""

import math
import re
from typing import Any, NoReturn

from attention_course.page.numbers import as_array

_COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Spread(str):
    """What ``spread`` writes: a text, which knows of which runs it is."""

    head: str
    """What a table says once, over its columns: "± half the range of three seeds"."""


def spread(values: Any, runs: str, *, digits: int = 2) -> Spread:
    """Write the mean of several runs ± half their range, and nothing else behind a ±.

    The text's ``head`` says what the ± means. It is printed with it, once for a table.

    Args:
        values: one number for each run: at least two.
        runs: which runs they are; it begins with their number, as in ``"three seeds"``.
        digits: how many digits follow the point.

    Returns:
        The text, which pads like any other: ``f"{found:14}"``.

    Raises:
        ValueError: if the values are no finite numbers, or another number than ``runs`` says.

    >>> found = spread([0.96, 0.98, 0.97], "three seeds")
    >>> print(found, found.head, sep=", ")
    0.97 ± 0.01, ± half the range of three seeds
    """
    numbers = [float(x) for x in as_array("spread: values", values)]
    if len(numbers) < 2 or not all(map(math.isfinite, numbers)):
        _refuse("values", "at least two finite numbers", values)
    count = re.match(r"(\w+) \S", runs) if isinstance(runs, str) else None
    words = {str(n): n for n in range(2, len(numbers) + 1)}
    words |= {word: n for n, word in enumerate(_COUNTS, start=2)}
    if count is None or words.get(count[1].lower()) != len(numbers):
        _refuse("runs", f"a text that begins with how many they are, {len(numbers)}", runs)
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 15:
        _refuse("digits", "a whole number from 0 to 15", digits)
    half = (max(numbers) - min(numbers)) / 2
    text = Spread(f"{math.fsum(numbers) / len(numbers):.{digits}f} ± {half:.{digits}f}")
    text.head = f"± half the range of {runs}"
    return text


def _refuse(name: str, expected: str, got: Any) -> NoReturn:
    raise ValueError(f"spread: {name} must be {expected}, got {got!r}")
