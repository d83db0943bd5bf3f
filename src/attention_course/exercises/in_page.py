"""Runs and checks what a reader types into a page, in the Python that the page loads.

``site/static/python.js`` calls it, with NumPy and no other package, thread, file or network.
What is printed goes to the page as it comes; ``check`` says what it says in a notebook.
"""

import builtins
import io
import json
import linecache
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import attention_course as ac
from attention_course.exercises.bank import exercise_named
from attention_course.exercises.cell import read
from attention_course.exercises.check import check, hint
from attention_course.exercises.defend import question_of
from attention_course.exercises.examine import examine_source
from attention_course.exercises.examples import own_exercise
from attention_course.exercises.runner import (
    IDLE,
    error_line,
    input_refused,
    run_each,
    statements,
)

FILE = "<your code>"
# The page of an assignment brings its exercises' public examples, a file for each set of them:
# "four-steps.0.json". For each slug the name by which an exercise is then known here.
HANDED_OUT = Path(__file__).parent / "handed_out"
_SETS: dict[str, list[str]] = {}
for _path in sorted(HANDED_OUT.glob("*.json")):
    _SETS.setdefault(_path.name.partition(".")[0], []).append(_path.read_text("utf-8"))
ASKED = {slug: own_exercise(sets[0]) for slug, sets in _SETS.items()}
# What is typed in a notebook, and the button for it in a page.
BUTTONS = (
    (re.compile("then run both cells"), "then check again"),
    (re.compile(r'hint\("[^"]*"\) opens'), "Hint opens"),
    (re.compile(r'ac\.failing_case\("[^"]*"\) shows'), "Failing case shows"),
)


class Stream(io.TextIOBase):
    """Hands on what is printed; ``encoding`` is what ``check`` asks for."""

    encoding = "utf-8"

    def __init__(self, say: Callable[[str], Any]):
        self.say = say

    def write(self, text: str) -> int:
        """Hand a text on."""
        self.say(text)
        return len(text)


def run(
    source: str,
    slug: str,
    checked: bool,
    say: Callable[[str], Any],
    attempt: int = 1,
    beside: str = "[]",
) -> bool:
    """Run a cell, and check the answer in it; whether it came to its end.

    Where it is checked, what raises beside the answer is left out, as when it is graded.

    Args:
        source: what the reader typed.
        slug: the exercise it belongs to. What its solution imports is there; in an assignment
            a cell brings its own imports, because it is graded with them.
        checked: whether to check it after it ran.
        say: takes what is printed, piece by piece.
        attempt: whose inputs to check with; the page of an assignment has some, in turn.
        beside: JSON, the other answers of an assignment: this one may call them.
    """
    if checked:
        _hand_out(slug, attempt)
    exercise = exercise_named(ASKED.get(slug, slug))
    left_out: list[str] = []

    def failed(error: BaseException, line: int) -> None:
        if not left_out:
            say(error_text(error))
        left_out.append(error_line(error, line))

    with as_main(say) as space:
        space.update(ac=ac, check=check, hint=hint, **({} if ASKED else {"np": np}))
        try:
            for other in json.loads(beside):
                with redirect_stdout(io.StringIO()), suppress(Exception):
                    execute(other, space, "<another answer>", failed=lambda error, line: None)
            exec("\n".join(exercise.imports), space)
            execute(source, space, failed=failed if checked else None)
            if checked and exercise.target not in space:
                say(f"{slug}: nothing here is called {exercise.target}; keep that name.\n")
            elif checked:
                sys.stdout = Stream(lambda text: say(by_button(text)))
                check(space[exercise.target], exercise.name, attempt)
        except BaseException as error:
            say(error_text(error))
            return False
        say("".join(f"Checked without what failed: {one}.\n" for one in left_out))
    return True


def defended(
    source: str, slug: str, seed: str, say: Callable[[str], Any], attempt: int = 1
) -> bool:
    """Say the question about a change in an answer (:func:`.defend.question_of`), as JSON.

    Args:
        source: the answer, which ``check`` has accepted.
        slug: the exercise it answers.
        seed: whose question it is.
        say: takes the question; a text says why nothing is asked.
        attempt: whose inputs the changed answer runs with, as in :func:`run`.
    """
    _hand_out(slug, attempt)
    exercise = replace(exercise_named(ASKED.get(slug, slug)), draw=attempt - 1)
    source = read(source).source
    imports = "" if ASKED else "\n".join([*exercise.imports, ""])
    with as_main(lambda text: None):
        asked = question_of(
            exercise, source, seed, lambda e, text: examine_source(e, imports + text)
        )
    say(json.dumps(asked if isinstance(asked, str) else asdict(asked)))
    return True


def _hand_out(slug: str, attempt: int) -> None:
    """Take an attempt's set of public examples, where the page of an assignment brings some."""
    if slug in _SETS:
        own_exercise(_SETS[slug][(attempt - 1) % len(_SETS[slug])])


@contextmanager
def as_main(say: Callable[[str], Any]) -> Iterator[dict[str, Any]]:
    """Yield the names of a new ``__main__``, and hand what is printed on to ``say``."""
    earlier = sys.stdout, sys.stderr, sys.modules["__main__"]
    whole = [(names, dict(names)) for names in (sys.modules, vars(builtins), vars(np))]
    sys.stdout = sys.stderr = Stream(say)
    home = sys.modules["__main__"] = ModuleType("__main__")
    vars(home).update(display=shown, get_ipython=IDLE)
    try:
        with input_refused():
            yield vars(home)
    finally:
        for names, earlier_names in whole:  # the next run finds them as this one did
            names.update(earlier_names)
        sys.stdout, sys.stderr, sys.modules["__main__"] = earlier


def by_button(text: str) -> str:
    """Return what ``check`` says as a page says it."""
    for typed, button in BUTTONS:
        text = typed.sub(button, text)
    return text


def execute(
    source: str,
    space: dict[str, Any],
    file: str = FILE,
    failed: Callable[[BaseException, int], None] | None = None,
) -> None:
    """Run a cell as a notebook does: what its last line gives is shown.

    Args:
        source: the cell.
        space: the names.
        file: what it is called in an error.
        failed: takes an error and its line, and what is below is run all the same.
    """
    cell = read(source)
    for one in cell.said:
        print(f"Read differently: {one}.")
    text = cell.source
    # Tracebacks find the lines of the cell here, since no file has them.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    value = run_each(statements(text, file), space, failed)
    if value is not None:
        shown(value)


def shown(*values: Any) -> None:
    """Show values as a notebook's ``display`` does, in a line each."""
    for value in values:
        print(repr(value))


def error_text(error: BaseException, file: str = FILE) -> str:
    """Return an error as Python says it, from the line of the reader's own file on."""
    frame = error.__traceback__
    while frame and frame.tb_frame.f_code.co_filename != file:
        frame = frame.tb_next
    text = "".join(traceback.format_exception(type(error), error, frame, chain=False))
    if isinstance(error, ModuleNotFoundError):
        text += "In the page there are Python and NumPy; the notebook has the rest.\n"
    if isinstance(error, OSError):
        text += "The page's Python has no network, no other programs and no files of yours.\n"
    if isinstance(error, MemoryError):
        text += "The page has less memory than a notebook: try a smaller array.\n"
    return text
