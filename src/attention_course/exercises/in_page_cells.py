"""Runs the code of a chapter in the page as its reader has edited it, from the top.

``site/editable.py`` writes what a chapter's code is, ``site/static/editable.js`` keeps the
edits, and ``site/static/python.js`` calls this in the Python that the page loads. A statement
that needs a module which is not there, such as torch or what draws, is left out, and so is
what depends on it.
"""

import io
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

import attention_course as ac
from attention_course.exercises.in_page import FILE, as_main, error_text, execute

LONGEST = 200_000  # characters of one cell's output that are compared and shown
COURSE = "attention_course.reference"
LACKING = re.compile(r"torch|triton|attention_course")  # what chapters use beside NumPy
ANSWER = re.compile(r"^# ANSWER ([\w-]+)$", re.M)  # here stands the reader's, if there is one


def run_cells(chapter: str, at: str, edits: str, say: Callable[[str, str], Any]) -> bool | str:
    """Run a chapter's code up to a cell; where something is edited, all of it.

    A cell above or below that then prints something else than the chapter's own code does here
    is heard as well.

    Args:
        chapter: the JSON that the page has of its code: ``cells``, each with its ``id``, its
            ``code`` and the ``modules`` of the functions that it shows.
        at: the id of the cell that the reader runs.
        edits: JSON, what the reader made of cells, by id, and of exercises, by slug.
        say: takes what is printed, and the id of the cell that prints it.

    Returns:
        Whether the cell that the reader runs came to its end: ``"part"``, if without a
        statement that needs what is not there.
    """
    mine: dict[str, str] = json.loads(edits)
    known = {cell["id"]: cell["code"] for cell in json.loads(chapter)["cells"]}
    now = {
        name: ANSWER.sub(lambda found: mine.get(found[1], found[0]), mine.get(name, code))
        for name, code in known.items()
    }
    edited = {name: text for name, text in now.items() if text != known[name]}
    changed: dict[str, str] = {}
    ended: bool | str = True
    for name, printed, whole in _run(chapter, edited, at, lambda text: say(text, at)):
        if name == at and not (whole and edited):
            return whole
        changed[name] = printed
        ended = whole if name == at else ended
    others = changed.keys() - {at}
    own = as_written(chapter) if others else {}
    for name in others:
        if changed[name] != own[name]:
            say(changed[name], name)
    return ended


@cache
def as_written(chapter: str) -> Mapping[str, str]:
    """Return what each cell of a chapter prints here, by id, while it is unedited."""
    return {name: printed for name, printed, _ in _run(chapter, {})}


def _run(
    chapter: str,
    edited: Mapping[str, str],
    at: str | None = None,
    say: Callable[[str], Any] = lambda text: None,
) -> Iterator[tuple[str, str, bool | str]]:
    """Run cell by cell; yield each one's id, what it printed, and whether it came to its end.

    What the cell ``at`` prints is said as it comes. A cell that stops has printed its error.
    """
    heard = io.StringIO()

    def hear(text: str) -> None:
        if heard.tell() < LONGEST:
            heard.write(text[:LONGEST])

    now: Callable[[str], Any] = hear
    with as_main(lambda text: now(text)) as space, _package(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the course's own functions keep NumPy quiet
        space.update(ac=ac, np=np)
        for number, cell in enumerate(json.loads(chapter)["cells"], start=1):
            name = cell["id"]
            file = FILE if name == at else f"<cell {number} of this page>"
            now = say if name == at else hear
            heard.seek(0)
            heard.truncate()
            left_out: list[str] = []

            def leave(error: BaseException, line: int, into: list[str] = left_out) -> None:
                if not (isinstance(error, ImportError) and LACKING.search(str(error))):
                    raise error
                into.append(str(error))

            try:
                modules = [import_module(module) for module in cell.get("modules", ())]
                space.update(
                    {n: v for m in modules for n, v in vars(m).items() if n not in space}
                )
                execute(edited.get(name, cell["code"]), space, file, failed=leave)
                _replace(modules, space)
                whole: bool | str = "part" if left_out else True
            except BaseException as error:
                now(error_text(error, file))
                whole = False
            yield name, heard.getvalue(), whole


def _replace(modules: list[ModuleType], space: Mapping[str, Any]) -> None:
    """Let the whole course call what a cell defines in the place of what these modules have."""
    own = [(vars(m)[n], v) for m in modules for n, v in space.items() if n in vars(m)]
    new = {id(old): v for old, v in own if getattr(v, "__module__", "") == "__main__"}
    for names in _course():
        names.update({n: new[id(v)] for n, v in names.items() if id(v) in new})


def _course() -> list[dict[str, Any]]:
    """Return the names of each loaded module of the specification."""
    return [vars(m) for name, m in sys.modules.items() if name.startswith(COURSE)]


@contextmanager
def _package() -> Iterator[None]:
    """Put back what cells replaced in the course, and how NumPy prints."""
    earlier = [(names, dict(names)) for names in _course()]
    vars(ac)["predict"] = _reveal
    with np.printoptions():
        try:
            yield
        finally:
            vars(ac).pop("predict", None)
            for names, own in earlier:
                names.update(own)


def _reveal(question: str, answer: Any, *, unit: str = "", reveal: Any = "", **_: Any) -> None:
    """Print what a prediction reveals."""
    print(*filter(None, [f"{answer} {unit}".strip(), str(reveal)]), sep="\n")
