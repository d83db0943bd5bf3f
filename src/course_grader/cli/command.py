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
from attention_course.exercises import all_exercises

PACKAGE = "course_grader"
# In the order in which a teacher meets them.
MODULES = (
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
    bank = subparsers.add_parser("exercises", help="list the exercises of the bank")
    bank.add_argument("--chapter", default="", help="only of chapters that contain this")
    bank.set_defaults(run=_exercises)
    return root


def _exercises(options: argparse.Namespace) -> int:
    """Print a line for each exercise: name, chapter, minutes, points, variants."""
    chapters = sorted({exercise.chapter for exercise in all_exercises().values()})
    if not any(options.chapter in chapter for chapter in chapters):
        known = ", ".join(chapters)
        raise ValueError(f"--chapter must be part of one of {known}, got {options.chapter!r}")
    rows = [("EXERCISE", "CHAPTER", "MIN", "POINTS", "VARIANTS")]
    for exercise in sorted(all_exercises().values(), key=lambda found: found.chapter):
        if options.chapter in exercise.chapter:
            points = str(sum(exercise.points.values()))
            variants = ", ".join(variant.name for variant in exercise.variants) or "-"
            rows.append(
                (exercise.slug, exercise.chapter, str(exercise.minutes), points, variants)
            )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
    return 0
