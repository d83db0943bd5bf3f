"""Runs the code of a chapter in the page as its reader has edited it, from the top.

``site/editable.py`` writes what a chapter's code is, ``site/static/editable.js`` keeps the
edits, and ``site/static/python.js`` calls this in the Python that the page loads.
"""

import io
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from attention_course.exercises.in_page import FILE, as_main, execute, said

LONGEST = 200_000  # characters of one cell's output that are compared and shown


def run_cells(chapter: str, at: str, edits: str, say: Callable[[str, str], Any]) -> bool:
    """Run a chapter's code up to a cell; where something is edited, all of it.

    A cell above or below that then prints something else than the chapter's own code does here
    is heard as well.

    Args:
        chapter: the JSON that the page has of its code: ``before``, a source, and ``cells``,
            each with its ``code`` and, if a reader can edit it, its ``id``.
        at: the id of the cell that the reader runs.
        edits: JSON, what the reader made of cells, by id.
        say: takes what is printed, and the id of the cell that prints it.

    Returns:
        Whether the cell that the reader runs came to its end.
    """
    mine: dict[str, str] = json.loads(edits)
    known = {cell.get("id", ""): cell["code"] for cell in json.loads(chapter)["cells"]}
    edited = {name: text for name, text in mine.items() if known.get(name, text) != text}
    changed: dict[str, str] = {}
    for name, printed, whole in _run(chapter, edited, at, lambda text: say(text, at)):
        if name == at and not (whole and edited):
            return whole
        changed[name] = printed
    own = as_written(chapter)
    for name in changed.keys() - {at}:
        if changed[name] != own[name]:
            say(changed[name], name)
    return True


@cache
def as_written(chapter: str) -> Mapping[str, str]:
    """Return what each cell of a chapter prints here, by id, if nobody edits it."""
    return {name: printed for name, printed, _ in _run(chapter, {})}


def _run(
    chapter: str,
    edited: Mapping[str, str],
    at: str | None = None,
    say: Callable[[str], Any] = lambda text: None,
) -> Iterator[tuple[str, str, bool]]:
    """Run cell by cell; yield each one's id, what it printed, and whether it came to its end.

    What the cell ``at`` prints is said as it comes. A cell that stops has printed its error.
    """
    code = json.loads(chapter)
    heard = io.StringIO()

    def hear(text: str) -> None:
        if heard.tell() < LONGEST:
            heard.write(text[:LONGEST])

    now: Callable[[str], Any] = hear
    with as_main(lambda text: now(text)) as space, np.printoptions(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the course's own functions keep NumPy quiet
        execute(code["before"], space, "<the chapters before>")
        for number, cell in enumerate(code["cells"], start=1):
            name = cell.get("id", "")
            here = name != "" and name == at
            file = FILE if here else f"<cell {number} of this page>"
            now = say if here else hear
            heard.seek(0)
            heard.truncate()
            try:
                execute(edited.get(name, cell["code"]), space, file)
                whole = True
            except BaseException as error:
                now(said(error, file))
                whole = False
            if name:
                yield name, heard.getvalue(), whole
