"""What a notebook's main path is: its folds, and what is left to read without them.

These functions read the JSON of a notebook's cells, so that the site, the rules for notebooks
and the tool that stores them see the same.
"""

import re
from collections.abc import Sequence
from typing import Any

COLLAPSED = "jp-MarkdownHeadingCollapsed"
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
    therefore begins with a heading and ends before one, or text that belongs to nobody's fold
    is hidden there.

    >>> fold_complaints([{"cell_type": "code", "metadata": {"tags": ["deeper"]}}])
    ['cell 0 is tagged deeper and stands in no fold: a fold begins with a heading']
    """
    found = folds(cells)
    inside = {number for fold in found for number in fold}
    said = [
        f"cell {number} is tagged deeper and stands in no fold: a fold begins with a heading"
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
