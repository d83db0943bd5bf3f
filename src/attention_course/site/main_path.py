"""What a notebook's main path is: its folds, and what is left to read without them.

These functions read the JSON of a notebook's cells, so that the site, the rules for notebooks
and the tool that stores them see the same.
"""

import re
from collections.abc import Sequence
from typing import Any

COLLAPSED = "jp-MarkdownHeadingCollapsed"
WORDS_A_MINUTE = 200  # technical prose; a silent reader of fiction reads 260 (Brysbaert, 2019)
SECONDS = {"line of code": 3, "formula": 8, "figure": 30, "widget": 90}
_CLOSED = re.compile(r"<!--.*?-->|<details\b(?:(?!<details\b).)*?</details>", re.DOTALL)
_FENCE = re.compile(r"^(`{3,}|~{3,}|:{3,})[^\n]*\n(.*?)^\1\s*?$", re.DOTALL | re.MULTILINE)
_DISPLAY = re.compile(r"\$\$.*?\$\$|\\begin\{(\w+\*?)\}.*?\\end\{\1\}", re.DOTALL)
_INLINE = re.compile(r"\$[^$\n]+\$|\]\([^)]*\)|<[^>]+>")
_WORD = re.compile(r"[^\W_][\w'’-]*")
_OFF_THE_PATH = {"deeper", "exercise", "hide-cell", "remove-cell", "setup"}
_HEADING = re.compile(r"(#{1,6}) +(.+)")


def tags(cell: dict[str, Any]) -> list[str]:
    """Return a cell's tags."""
    return list(cell.get("metadata", {}).get("tags", []))


def source(cell: dict[str, Any]) -> str:
    """Return a cell's source, which a file may hold as lines."""
    return "".join(cell.get("source", ""))


def heading(cell: dict[str, Any]) -> tuple[int, str] | None:
    """Return level and text of the heading with which a cell begins, or None.

    >>> heading({"cell_type": "markdown", "source": "### Why"})
    (3, 'Why')
    """
    found = _HEADING.match(source(cell)) if cell.get("cell_type") == "markdown" else None
    return (len(found[1]), found[2].strip()) if found else None


def folds(cells: Sequence[dict[str, Any]]) -> list[range]:
    """Return the cells of each fold: a heading tagged ``deeper`` and the tagged cells after it.

    A heading of the same or a higher level begins a new fold.

    >>> fold = {"tags": ["deeper"]}
    >>> head = {"cell_type": "markdown", "source": "### Why", "metadata": fold}
    >>> folds([head, {"cell_type": "code", "metadata": fold}, head])
    [range(0, 2), range(2, 3)]
    """
    found: list[range] = []
    level = 0
    for number, cell in enumerate(cells):
        if "deeper" not in tags(cell):
            continue
        goes_on = bool(found) and found[-1].stop == number
        begins = heading(cell)
        if begins and (not goes_on or begins[0] <= level):
            found.append(range(number, number + 1))
            level = begins[0]
        elif goes_on:
            found[-1] = range(found[-1].start, number + 1)
    return found


def fold_complaints(cells: Sequence[dict[str, Any]]) -> list[str]:
    """Return what is wrong with a notebook's folds, one sentence each; cells count from 0.

    Jupyter collapses what follows a heading up to the next one of its level or higher. A fold
    therefore begins with a heading and ends before one, or text that belongs to no fold
    is hidden there.

    >>> fold_complaints([{"cell_type": "code", "metadata": {"tags": ["deeper"]}}])
    ['cell 0 is tagged deeper and is in no fold: a fold begins with a heading']
    """
    found = folds(cells)
    inside = {number for fold in found for number in fold}
    said = [
        f"cell {number} is tagged deeper and is in no fold: a fold begins with a heading"
        for number, cell in enumerate(cells)
        if "deeper" in tags(cell) and number not in inside
    ]
    for fold in found:
        first = heading(cells[fold.start])
        after = heading(cells[fold.stop]) if fold.stop < len(cells) else (1, "")
        if first and (after is None or after[0] > first[0]):
            said.append(
                f"cell {fold.stop} follows the fold {first[1]!r}, and Jupyter hides it with "
                f"that: it must begin with a heading of level {first[0]} at most, or be "
                "tagged deeper"
            )
    return said


def answer_complaints(cells: Sequence[dict[str, Any]]) -> list[str]:
    """Return what is wrong with the cells tagged ``answer``, one sentence each.

    Such a cell answers the nearest question above it, and is covered as a whole.

    >>> answer_complaints([{"cell_type": "code", "metadata": {"tags": ["answer"]}}])
    ['cell 0 is tagged answer and no predict(...) is above it']
    """
    said, asked = [], False
    for number, cell in enumerate(cells):
        if "answer" not in tags(cell):
            asked = asked or (cell["cell_type"] == "code" and "predict(" in source(cell))
        elif not asked:
            said.append(f"cell {number} is tagged answer and no predict(...) is above it")
        elif cell["cell_type"] == "markdown" and re.search(r"^#+ ", source(cell), re.M):
            said.append(f"cell {number} is tagged answer and holds a heading: split the cell")
    return said


def reading_minutes(cells: Sequence[dict[str, Any]]) -> int:
    """Return how long the main path takes to read, in minutes: a multiple of 5, at least 5.

    Words count, and a few seconds for each line of code that is open, each formula on a line of
    its own, each figure and each widget. Folds, exercises and what comes after them do not.

    >>> reading_minutes([{"cell_type": "markdown", "source": "word " * 2000}])
    10
    """
    seconds = 0.0
    for cell in cells:
        begins = heading(cell)
        if begins and begins[1] in {"Exercises", "Further reading"}:
            break
        if _OFF_THE_PATH & {*tags(cell)}:
            continue
        seconds += _prose(source(cell)) if cell["cell_type"] == "markdown" else _code(cell)
    return max(5, 5 * round(seconds / 300))


def _prose(text: str) -> float:
    while _CLOSED.search(text):
        text = _CLOSED.sub(" ", text)
    code = "".join(found[2] for found in _FENCE.finditer(text) if found[1][0] != ":")
    text = _FENCE.sub(lambda f: f[2] if f[1][0] == ":" else " ", text)
    formulas = len(_DISPLAY.findall(text))
    words = len(_WORD.findall(_INLINE.sub(" x ", _DISPLAY.sub(" ", text))))
    return (
        60 * words / WORDS_A_MINUTE
        + SECONDS["formula"] * formulas
        + SECONDS["line of code"] * _lines(code)
    )


def _code(cell: dict[str, Any]) -> float:
    hidden = {"hide-input", "remove-input"} & {*tags(cell)}
    seconds = 0.0 if hidden else SECONDS["line of code"] * _lines(source(cell))
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if any("widget-view" in kind for kind in data):
            seconds += SECONDS["widget"]
        elif any("plotly" in kind for kind in data) or "<figure" in str(data.get("text/html")):
            seconds += SECONDS["figure"]
        else:
            said = "".join(output.get("text", "") or data.get("text/plain", ""))
            seconds += 60 * min(len(said.split()), 100) / WORDS_A_MINUTE
    return seconds


def _lines(code: str) -> int:
    return sum(bool(line.strip()) for line in code.splitlines())
