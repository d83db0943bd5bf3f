"""``attention-course``: one command for a teacher, a subcommand a module.

A module of a subcommand has ``register(subparsers)``, which adds its parser and sets as the
default ``run`` a function that takes the parsed options and returns the exit status. What a
person got wrong is said in one line on the error output, and the status is then 2.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from attention_course import __version__

PACKAGE = "course_grader"
# In the order in which a teacher meets them.
MODULES = (
    "cli.exercises",
    "cli.new",
    "cli.release",
    "cli.solutions",
    "cli.grade_class",
    "marking.rubric",
    "reports.feedback",
    "cli.marks",
    "cli.regrade",
    "reports.alike",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = parser().parse_args(arguments)
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
    root = argparse.ArgumentParser(
        "attention-course", description="Assign and grade exercises."
    )
    root.add_argument("--version", action="version", version=__version__)
    subparsers = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in MODULES:
        if find_spec(f"{PACKAGE}.{name}"):
            import_module(f"{PACKAGE}.{name}").register(subparsers)
    return root
