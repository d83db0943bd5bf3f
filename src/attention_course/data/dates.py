"""Dates as people write them, in five languages, and the same dates as numbers.

Every pair comes with its alignment, because the dates are put together here: it is known
which source character says which digit.
"""

import datetime
import functools
import json
import re
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

from attention_course.data.vocabulary import Vocabulary

FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)
_FIELD = re.compile(r"'([^']*)'|(E+|M+|d+|y+)|([^EMdy']+)")

Links = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class DatePair:
    """A date in words, the same date in ISO 8601, and what belongs to what.

    Attributes:
        source: for example "sat, mar 7, 2026".
        target: for example "2026-03-07".
        sure: pairs of target and source position that say the same digit.
        possible: ``sure``, and every letter of the month for both digits of the month, and
            the one digit of a day for the 0 in front of it.
    """

    source: str
    target: str
    sure: Links
    possible: Links


@functools.cache
def date_formats() -> dict[str, dict[str, Any]]:
    """Return the patterns and names of each language.

    Returns:
        By language code: "language", "patterns", "months" and "days".

    Source:
        Unicode CLDR; see ``corpora/dates/PROVENANCE.md``.

    >>> date_formats()["de"]["patterns"]
    ['EEEE, d. MMMM y', 'd. MMMM y', 'E, d. MMM y', 'd. MMM y']
    """
    file = resources.files("attention_course") / "data" / "corpora" / "dates" / "formats.json"
    return json.loads(file.read_text(encoding="utf-8"))


def write_date(day: datetime.date, language: str, pattern: str) -> DatePair:
    """Write a date in a language, and align it with its ISO form.

    Args:
        day: the date.
        language: "en", "fr", "de", "es" or "it".
        pattern: one of the language's patterns.

    Returns:
        The pair, in small letters.

    Raises:
        ValueError: if the language has not this pattern.

    Source:
        Unicode Technical Standard 35, part 4: E is the day of the week, M the month, d the
        day, y the year; what is in quotation marks is copied.

    >>> import datetime
    >>> pair = write_date(datetime.date(2026, 3, 7), "en", "E, MMM d, y")
    >>> pair.source, pair.target, sorted(pair.sure)
    ('sat, mar 7, 2026', '2026-03-07', [(0, 12), (1, 13), (2, 14), (3, 15), (9, 9)])
    """
    formats = date_formats()
    if pattern not in formats.get(language, {"patterns": ()})["patterns"]:
        raise ValueError(
            "write_date: pattern must be one of the language's, "
            f"got {pattern!r} in {language!r}"
        )
    source, at = "", {}
    for quoted, field, between in _FIELD.findall(pattern):
        text = _say(day, field, formats[language]) if field else quoted or between
        if field:
            at[field[0]] = range(len(source), len(source) + len(text))
        source += text
    sure = set(zip(range(4), at["y"], strict=True))
    sure |= set(zip(range(10 - len(at["d"]), 10), at["d"], strict=True))
    possible = {(digit, letter) for digit in (5, 6) for letter in at["M"]}
    if len(at["d"]) == 1:
        possible.add((8, at["d"][0]))
    return DatePair(source, day.isoformat(), frozenset(sure), frozenset(sure | possible))


def random_dates(
    count: int,
    rng: np.random.RandomState,
    held_out: bool = False,
    languages: tuple[str, ...] = ("en", "fr", "de", "es", "it"),
) -> list[DatePair]:
    """Draw days from 1900 to 2099, each in one language and pattern.

    Every tenth day is held out: no date of the training part is tested, in any language.

    Args:
        count: how many.
        rng: the generator that draws them.
        held_out: draw from the held-out days and not from the others.
        languages: codes to choose from.

    Returns:
        The pairs.

    Raises:
        ValueError: if the count is negative or a language is unknown.

    >>> [pair.target for pair in random_dates(2, np.random.RandomState(0))]
    ['2086-11-29', '1958-03-01']
    """
    formats = date_formats()
    if count < 0 or not languages or not set(languages) <= set(formats):
        raise ValueError(
            f"random_dates: languages must be among {sorted(formats)} and count not negative, "
            f"got {languages} and {count}"
        )
    pairs: list[DatePair] = []
    while len(pairs) < count:
        ordinal = rng.randint(FIRST.toordinal(), LAST.toordinal() + 1)
        if (ordinal % 10 == 7) != held_out:
            continue
        language = languages[rng.randint(len(languages))]
        choice = formats[language]["patterns"]
        day = datetime.date.fromordinal(ordinal)
        pairs.append(write_date(day, language, choice[rng.randint(len(choice))]))
    return pairs


def date_vocabularies() -> tuple[Vocabulary, Vocabulary]:
    """Return the characters that dates are written with, in words and in ISO 8601.

    Returns:
        The source's vocabulary and the target's.

    Source:
        Unicode CLDR for the first, ISO 8601 for the second.

    >>> [len(vocabulary) for vocabulary in date_vocabularies()]
    [46, 15]
    """
    letters = set("0123456789 &")
    for entry in date_formats().values():
        for names in (*entry["months"].values(), *entry["days"].values(), entry["patterns"]):
            letters |= set("".join(names).lower())
    return Vocabulary(letters - set("'")), Vocabulary("0123456789- ")


def _say(day: datetime.date, field: str, entry: dict[str, Any]) -> str:
    """Write one field: as many letters, as long the name."""
    if field == "d":
        return str(day.day)
    if field == "y":
        return f"{day.year:04d}"
    width = "wide" if len(field) == 4 else "abbreviated"
    names, number = (
        (entry["months"], day.month - 1) if field[0] == "M" else (entry["days"], day.weekday())
    )
    return names[width][number].lower()
