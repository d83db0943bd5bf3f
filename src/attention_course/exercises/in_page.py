"""Runs and checks what a reader types into a page, in the Python that the page loads.

``site/static/python.js`` calls it, with NumPy and no other package, thread, file or network.
What is printed goes to the page as it comes; ``check`` says what it says in a notebook.
"""

import ast
import io
import linecache
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

import attention_course as ac
from attention_course.exercises.bank import exercise_named
from attention_course.exercises.check import check, hint

FILE = "<your code>"
IN_NOTEBOOK, IN_PAGE = "then run both cells", "then check again"


class Stream(io.TextIOBase):
    """Hands on what is printed; ``encoding`` is what ``check`` asks for."""

    encoding = "utf-8"

    def __init__(self, say: Callable[[str], Any]):
        self.say = say

    def write(self, text: str) -> int:
        """Hand a text on."""
        self.say(text)
        return len(text)


def run(source: str, slug: str, checked: bool, say: Callable[[str], Any]) -> bool:
    """Run a cell, and check the answer in it; whether it came to its end.

    Args:
        source: what the reader typed.
        slug: the exercise it belongs to, whose imports are there.
        checked: whether to check it after it ran.
        say: takes what is printed, piece by piece.
    """
    exercise = exercise_named(slug)
    with as_main(say) as space:
        space.update(np=np, ac=ac, check=check, hint=hint)
        try:
            exec("\n".join(exercise.imports), space)
            execute(source, space)
            if checked and exercise.target not in space:
                say(f"{slug}: nothing here is called {exercise.target}; keep that name.\n")
            elif checked:
                sys.stdout = Stream(lambda text: say(text.replace(IN_NOTEBOOK, IN_PAGE)))
                check(space[exercise.target], slug)
        except BaseException as error:
            say(said(error))
            return False
    return True


@contextmanager
def as_main(say: Callable[[str], Any]) -> Iterator[dict[str, Any]]:
    """Yield the names of a new ``__main__``, and hand what is printed on to ``say``."""
    earlier = sys.stdout, sys.stderr, sys.modules["__main__"]
    sys.stdout = sys.stderr = Stream(say)
    home = sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield vars(home)
    finally:
        sys.stdout, sys.stderr, sys.modules["__main__"] = earlier


def execute(source: str, space: dict[str, Any], file: str = FILE) -> None:
    """Run a cell as a notebook does: what its last line gives is shown."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    tree = ast.parse(source, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec"), space)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), file, "eval"), space)
        if value is not None:
            print(repr(value))


def said(error: BaseException, file: str = FILE) -> str:
    """Return an error as Python says it, from the line of the reader's own file on."""
    frame = error.__traceback__
    while frame and frame.tb_frame.f_code.co_filename != file:
        frame = frame.tb_next
    text = "".join(traceback.format_exception(type(error), error, frame, chain=False))
    if isinstance(error, ModuleNotFoundError):
        text += "In the page there are Python and NumPy; the notebook has the rest.\n"
    if isinstance(error, MemoryError):
        text += "The page has less memory than a notebook: try a smaller array.\n"
    return text
