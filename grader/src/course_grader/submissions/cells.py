"""Turns the notebook that was handed in into cells.

Outputs, attached pictures and the file's metadata are never read, so they may be large. What is
no notebook gets a reason, never another exception.
"""

import codecs
import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

MOST_BYTES, MOST_TOKENS = 8 << 20, 5_000_000
SMALL = 1 << 20
DEEPEST, MOST_CELLS = 64, 5000
# Python's own parser takes seconds and gigabytes for longer pieces of some kinds.
MOST_CODE, MOST_CODE_TOGETHER = 50_000, 500_000
MARKER = re.compile(r"\s*(?:>>>\s*)?#+\s*EXERCISE\b[\s:]*(\S.*)?")
WRITTEN = re.compile(r"\s*<!--\s*WRITTEN\s+(\S+?)\s*-->\s*")
# What may be above a marker: nothing, commands of the notebook, imports, other comments.
_ABOVE = re.compile(r"\s*(?:>>>\s*)?(?:[%!#].*|(?:import|from)[ \t].*|get_ipython\(.*)?")
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
_COLON = re.compile(rb"\s*+:\s*+(?=[\[{])")
# What is not read: below how many brackets it stands, and its key.
_UNREAD = {(1, b'"metadata"'), (3, b'"outputs"'), (3, b'"attachments"')}


class IntakeError(ValueError):
    """The file cannot be read as a submission."""


@dataclass(frozen=True)
class Cell:
    """A cell: its kind, its source, the name that nbgrader's metadata give it, its number."""

    kind: str
    source: str
    name: str = ""
    place: int = 0

    @cached_property
    def marker(self) -> str | None:
        """The exercise that its first line names; an empty text if that is no name.

        None if there is no such line. Above it may stand imports, comments and commands.
        """
        for line in self.source.removeprefix("\ufeff").splitlines():
            if found := MARKER.fullmatch(line):
                return re.sub(r"[\s_]+", "-", (found[1] or "").strip().lower())
            if not _ABOVE.fullmatch(line) or (self.kind != "code" and line.strip()):
                break
        return None

    @property
    def is_code(self) -> bool:
        """Whether it is code, or text that begins as an answer in code does."""
        return self.kind == "code" or self.marker is not None

    @cached_property
    def content(self) -> str:
        """Its source without what a program may add or take at the ends of lines."""
        lines = [line.rstrip() for line in self.source.removeprefix("\ufeff").splitlines()]
        return "\n".join(lines).strip("\n")


def slim(data: bytes) -> bytes:
    """Return a notebook without what is never read, if it is large; other bytes as they are.

    >>> slim(b'{"cells": [{"outputs": ["' + b"x" * SMALL + b'"]}]}')
    b'{"cells": [{"outputs": null}]}'
    """
    if len(data) <= SMALL:
        return data
    kept, last, depth, waiting = [], 0, 0, 0
    for number, token in enumerate(_TOKEN.finditer(data)):
        if number > MOST_TOKENS:
            return data
        sign = token[0][:1]
        if sign in (b"[", b"{"):
            depth += 1
        elif sign != b'"':
            depth -= 1
            if waiting and depth < waiting:
                last, waiting = token.end(), 0
        elif not waiting and (depth, token[0]) in _UNREAD:
            colon = _COLON.match(data, token.end())
            if colon:
                kept += [data[last : colon.end()], b"null"]
                waiting = depth + 1
    return data if waiting else b"".join([*kept, data[last:]])


@dataclass(frozen=True)
class File:
    """What was handed in: its cells, and what is to be said about it."""

    cells: list[Cell]
    notes: list[str]


def read_file(data: bytes) -> File:
    """Return the cells of a file, numbered from 1.

    Raises:
        IntakeError: if it is no notebook, or larger or deeper than any.
    """
    text, notes = _text(slim(data))
    if text.lstrip()[:1] not in ("{", "["):
        raise IntakeError(
            "the file is no notebook: hand in the .ipynb itself, not what it was exported to"
        )
    cells = _cells(_parsed(text))
    cells = [replace(cell, place=place) for place, cell in enumerate(cells, 1)]
    _refuse_length(cells)
    return File(cells, notes)


def _text(data: bytes) -> tuple[str, list[str]]:
    if len(data) > MOST_BYTES:
        raise IntakeError(
            f"without its outputs the file may have {MOST_BYTES} bytes, has {len(data)}"
        )
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return data.decode("utf-16"), []
        except UnicodeDecodeError as error:
            raise IntakeError("the file is not text") from error
    if data.startswith(b"PK\3\4"):
        raise IntakeError("the file is a zip: take the notebook out of it")
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        if b"\0" in data:
            raise IntakeError("the file is not text") from error
    said = "the file is not in UTF-8; its accents were read as Windows writes them"
    return data.decode("utf-8-sig", "as_windows"), [said]


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """Return what Windows means by bytes that are no UTF-8."""
    assert isinstance(error, UnicodeDecodeError)
    wrong = error.object[error.start : error.end]
    return "".join(bytes([b]).decode("cp1252", "replace") for b in wrong), error.end


codecs.register_error("as_windows", _as_windows)


def _parsed(text: str) -> Any:
    _refuse_depth(text)
    try:
        return json.loads(text, parse_int=_number, parse_constant=_number)
    except (ValueError, RecursionError) as error:
        raise IntakeError(
            "the file is cut off or damaged: save the notebook, download it again, and hand "
            "that in"
        ) from error


def _number(text: str) -> int | float:
    """Return a number; those of thousands of digits, which Python refuses, become 0."""
    return int(text) if text.lstrip("-").isdigit() and len(text) < 19 else 0


def _refuse_depth(text: str) -> None:
    """Refuse brackets nested deeper than any notebook's, before a parser meets them."""
    depth, inside = 0, False
    for piece in re.finditer(r'\\.|"|[\[{]|[\]}]', text, re.S):
        if piece[0] == '"':
            inside = not inside
        elif not inside:
            depth += (piece[0] in "[{") - (piece[0] in "]}")
        if depth > DEEPEST:
            raise IntakeError(f"the file's brackets are nested deeper than {DEEPEST}")


def _cells(notebook: Any) -> list[Cell]:
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise IntakeError("the file has no cells: it is not a notebook of format 4")
    if notebook.get("nbformat") != 4:
        raise IntakeError("the notebook must be of format 4")
    if len(notebook["cells"]) > MOST_CELLS:
        raise IntakeError(f"a notebook may have {MOST_CELLS} cells")
    found = []
    for number, cell in enumerate(notebook["cells"], 1):
        if not isinstance(cell, dict):
            raise IntakeError(f"cell {number} is not a cell")
        source, metadata = _source(cell.get("source"), number), cell.get("metadata")
        inner = metadata.get("nbgrader") if isinstance(metadata, dict) else None
        inner = inner if isinstance(inner, dict) else {}
        name = inner.get("grade_id")
        name = name if isinstance(name, str) else ""
        found.append(Cell(str(cell.get("cell_type")), source, name))
    return found


def _refuse_length(cells: list[Cell]) -> None:
    """Refuse code that no student writes by hand."""
    code = [cell.source for cell in cells if cell.is_code]
    lengths = [len(source.encode("utf-8", "surrogatepass")) for source in code]
    if max(lengths, default=0) > MOST_CODE:
        raise IntakeError(f"a cell may have {MOST_CODE} bytes of code")
    if sum(lengths) > MOST_CODE_TOGETHER:
        raise IntakeError(f"the cells may have {MOST_CODE_TOGETHER} bytes of code in all")


def _source(source: Any, number: int) -> str:
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise IntakeError(f"cell {number} has no source")
    return source
