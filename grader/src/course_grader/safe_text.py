"""Makes a stranger's text plain: what cannot be seen, or would act, is taken out.

A student's name, file name, answer and error messages all end in files that a teacher opens.
Terminals obey escape sequences, bidirectional marks turn a line round, spreadsheets calculate.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

MOST_BYTES = 20 * 1024
CUT = "\n[cut here: the rest is left out]"

# Escape sequences as terminals know them: with parameters, up to a terminator, of two letters.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_LINE_ENDS = re.compile("\r\n?|[\x85\u2028\u2029]")
# Joiners that emoji and some scripts need; other format characters are invisible or turn text.
_KEPT = frozenset("\n\t\u200c\u200d")
_ACCENT = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0]"
_STACKED = re.compile(f"({_ACCENT}{{4}}){_ACCENT}+")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")

# Where a semicolon parts cells, what follows it begins one.
_SIGNS = re.escape("".join(_FORMULA))
_AFTER_SEMICOLON = re.compile(f"(;[ \u00a0]*)(?=[{_SIGNS}])")


def printable(text: object, most: int = MOST_BYTES) -> str:
    r"""Return a text without escape sequences, control, format and bidirectional characters.

    Args:
        text: anything; what is no text is written as Python would.
        most: how many bytes in UTF-8 are kept; where more are cut off, the text says so.

    >>> printable("a\x1b[31mb\u202ec")
    'abc'
    """
    kept = _ESCAPES.sub("", str(text)[: 4 * most])
    kept = "".join(map(_visible, _LINE_ENDS.sub("\n", kept)))
    kept = _STACKED.sub(r"\1", kept)
    if len(kept.encode()) <= most and len(str(text)) <= 4 * most:
        return kept
    return kept.encode()[:most].decode(errors="ignore") + CUT


def one_line(text: object, most: int = 200) -> str:
    r"""Return a text made plain, in one line of at most ``most`` characters.

    >>> one_line("two\nlines")
    'two lines'
    """
    line = " ".join(printable(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def listed(texts: Iterable[object]) -> str:
    r"""Return texts made plain, in one line with commas.

    >>> listed(["ada", "bo\nb"])
    'ada, bo b'
    """
    return ", ".join(map(one_line, texts))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table as lines whose columns are below each other.

    >>> aligned([("a", "bb"), ("ccc", "d")])
    ['a    bb', 'ccc  d']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = ([c.ljust(w) for c, w in zip(row, widths, strict=True)] for row in rows)
    return ["  ".join(row).rstrip() for row in cells]


def cell(value: object) -> str:
    """Return a value as a spreadsheet shows it and does not calculate it.

    A text that begins like a formula gets a quotation mark in front; numbers stay numbers.

    >>> cell("=1+1"), cell(-2.5)
    ("'=1+1", '-2.5')
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.10g}"
    line = _AFTER_SEMICOLON.sub(r"\1'", printable(value).replace("\t", " "))
    formula = any(text.lstrip(" \u00a0").startswith(_FORMULA) for text in (str(value), line))
    return "'" + line if formula else line


def _visible(letter: str) -> str:
    """Return the character, nothing, or a stand-in for what no text should hold."""
    if letter in _KEPT:
        return letter
    category = unicodedata.category(letter)
    if category in ("Cc", "Cf"):
        return ""
    return "\ufffd" if category in ("Cs", "Co", "Cn") else letter
