"""``attention-course``: one command for a teacher, a subcommand a module.

A module of a subcommand has ``register(subparsers)``, which adds its parser and sets as the
default ``run`` a function that takes the parsed options and returns the exit status. What a
person got wrong is said in one line on the error output, and the status is then 2.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from typing import TextIO

from course_grader.course import require_course

PACKAGE = "course_grader.cli"
# In the order in which a teacher meets them, each with what --help says of it.
MODULES = {
    "exercises": (
        "List the exercises of the bank: chapter, minutes, points, and the variants, each "
        "the same exercise under another convention."
    ),
    "exercise": (
        "Try an exercise of your own. The solution must pass and the stub must fail; then "
        "mistakes are made in the solution, one at a time, and you see which property "
        "catches each."
    ),
    "new": (
        "Make an assignment of your own: a folder that nobody publishes, with "
        "assignment.toml, which you change as you like, and a secret, which draws the "
        "variants and the inputs that nobody sees."
    ),
    "release": (
        "Write what students get, a notebook and a zip with it, and a record of it, which "
        "stays with you. With variants by student each has a folder, and so has each "
        "version."
    ),
    "offline": (
        "Make of a released notebook one HTML file of some 13 MB for students who have neither "
        "an installation nor a network: they open it by a double click, solve, check, save the "
        "notebook, and hand that in."
    ),
    "classroom": (
        "Write a template for GitHub Classroom: the notebook, a note, and a workflow that "
        "checks the answers on each push. Nothing in it is secret, and it gives no "
        "points."
    ),
    "check": (
        "Say what the check cells of a notebook say, on inputs that everybody can see. "
        "Nothing is graded, and the answers run with your rights."
    ),
    "solutions": (
        "Write the notebook with solutions, model answers and rubrics. It is for you alone."
    ),
    "grade_class": (
        "Grade what a class handed in, each answer in the sandbox, on inputs that nobody "
        "has seen. Repeat the command after an interruption, or when something is new or "
        "changed: the rest keeps its grades."
    ),
    "rubric": (
        "Write a page, and a table, to mark written answers on; then take the marks over "
        "with --merge."
    ),
    "feedback": (
        "Write a page for each student: points, what failed and why, and your comments."
    ),
    "marks": (
        "Fill the table of grades that your platform gave you and change nothing else in "
        "it. The table goes into OUT/upload, for Moodle and Canvas with a zip of the "
        "students' pages."
    ),
    "term": (
        "Add up what was graded in several folders, as one file says: weights, the best n of "
        "m, late days, who has longer. Says who is missing, and writes a page, how each total "
        "comes about, and a table for Moodle, Canvas and Brightspace."
    ),
    "gradescope": (
        "Make the zip of an autograder for Gradescope. It holds the secret: give it to nobody."
    ),
    "regrade": (
        "Grade the copies of what was handed in once more, after a change of the "
        "assignment, and say whose points changed."
    ),
    "student": (
        "Say what stands about one student: the file, the page, what came of each item. "
        "With --item and --give, give points by hand in the place of the grader's."
    ),
    "alike": (
        "List whose answers are the same code once names, comments, formatting and the "
        "order of independent statements are left out. The list accuses nobody."
    ),
}


class _Lasting(io.TextIOBase):
    """An output that stops nothing: what it cannot take is escaped or, if need be, lost.

    A name may hold letters that the terminal's encoding lacks, a pipe may be closed, a disk
    full. ``lost`` says what went wrong; of a closed pipe nothing, since its reader wanted that.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.lost = ""
        self.closed_early = False

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the stream."""
        return self.stream.encoding or "utf-8"

    def isatty(self) -> bool:
        """Say whether a person sees it."""
        return self.stream.isatty()

    def write(self, text: str) -> int:
        """Write it, and at once, so that a failure shows here and not at the end."""
        if self.lost or self.closed_early:
            return len(text)
        try:
            self.stream.write(
                text.encode(self.encoding, "backslashreplace").decode(self.encoding)
            )
            self.stream.flush()
        except OSError as error:
            self.closed_early = isinstance(error, BrokenPipeError)
            self.lost = "" if self.closed_early else f"the output could not be written: {error}"
            with suppress(OSError, ValueError):  # or leaving Python would fail once more
                os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())
        return len(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    out, err = _Lasting(sys.stdout), _Lasting(sys.stderr)
    with redirect_stdout(out), redirect_stderr(err):
        try:
            require_course()
        except ValueError as error:
            print(f"attention-course: {error}", file=sys.stderr)
            return 2
        options = parser().parse_args(arguments)
        status = _run(options)
        if out.lost and not status:
            print(f"attention-course {options.command}: {out.lost}", file=sys.stderr)
        return status or 2 * bool(out.lost)


def _run(options: argparse.Namespace) -> int:
    try:
        return options.run(options) or 0
    except (ValueError, OSError, ImportError) as error:
        message = str(error).split("\n")[0].removeprefix(f"{options.command}: ")
        print(f"attention-course {options.command}: {message}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"attention-course {options.command}: interrupted", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command."""
    from attention_course.exercises.protocol import __version__

    root = argparse.ArgumentParser(
        "attention-course",
        description="Assign and grade exercises. COMMAND --help says what a command does.",
    )
    root.add_argument("--version", action="version", version=__version__)
    subparsers = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, said in MODULES.items():
        import_module(f"{PACKAGE}.{name}").register(subparsers)
        [*subparsers.choices.values()][-1].description = said
    return root
