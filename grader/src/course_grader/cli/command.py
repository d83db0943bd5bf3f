"""``attention-course``: one command for a teacher, a subcommand a module.

``command.toml`` says what each is given, and its module's ``run(options)`` returns the exit
status. What a person got wrong is said in one line on the error output, and the status is then
2.
"""

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from course_grader.course import require_course
from course_grader.tables import texts_beside

PACKAGE = "course_grader.cli"
TYPES = {"Path": Path, "int": int}


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
        if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
            message += ": what stands is whole; make room and repeat the command"
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
    table = texts_beside(__file__)
    for name, told in table.items():
        command = subparsers.add_parser(told.get("name", name), help=told["help"])
        command.description = told["description"]
        command.set_defaults(run=import_module(f"{PACKAGE}.{name}").run)
        groups: dict[str, Any] = {"": command}
        shared = {one: table["grade_class"]["options"][one] for one in told.get("shares", ())}
        for flags, more in (told.get("options", {}) | shared).items():
            kinds = {"type": TYPES[more["type"]]} if "type" in more else {}
            which = more.get("one_of", "")  # of these only one may be given; with ! it must be
            if which not in groups:
                needed = which.endswith("!")
                groups[which] = command.add_mutually_exclusive_group(required=needed)
            words = {key: value for key, value in more.items() if key != "one_of"}
            groups[which].add_argument(*flags.split(), **words | kinds)
    return root
