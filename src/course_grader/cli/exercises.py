"""``attention-course exercises``: the bank, and what public solutions earn in each variant."""

import argparse
from functools import cache
from importlib.util import find_spec

from attention_course.exercises import (
    Exercise,
    all_exercises,
    examine_source,
    exercise_named,
)


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("exercises", help="list the exercises of the bank")
    parser.add_argument("--chapter", default="", help="only of chapters that contain this")
    parser.add_argument(
        "--earns",
        action="store_true",
        help="behind each variant, the most points that another public solution earns in it",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    """Print a line for each exercise: name, chapter, minutes, points, variants."""
    chapters = sorted({exercise.chapter for exercise in all_exercises().values()})
    if not any(options.chapter in chapter for chapter in chapters):
        known = ", ".join(chapters)
        raise ValueError(f"--chapter must be part of one of {known}, got {options.chapter!r}")
    rows = [("EXERCISE", "CHAPTER", "MIN", "POINTS", "VARIANTS")]
    for exercise in sorted(all_exercises().values(), key=lambda found: found.chapter):
        if options.chapter in exercise.chapter:
            minutes, points = str(exercise.minutes), str(sum(exercise.points.values()))
            said = (_said(exercise, v.name, options.earns) for v in exercise.variants)
            variants = ", ".join(said) or "-"
            rows.append((exercise.slug, exercise.chapter, minutes, points, variants))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
    return 0


def _said(exercise: Exercise, variant: str, earns: bool) -> str:
    if not earns:
        return variant
    can = exercise.uses == "numpy" or find_spec("torch") is not None
    return f"{variant} ({public_points(exercise.slug, variant) if can else '?'})"


@cache
def public_points(slug: str, variant: str) -> int:
    """Return the most points that a public solution to another form earns in this one.

    The other forms are the course's own and the other variants; the course's own earns all
    points where the course's own is asked.

    Raises:
        ModuleNotFoundError: if the exercise uses torch and it is not here.
    """
    exercise = exercise_named(slug)
    if exercise.uses != "numpy" and find_spec("torch") is None:
        raise ModuleNotFoundError(
            f"{slug} is answered in torch, which is not here: make grader TORCH=1"
        )
    if not variant:
        return sum(exercise.points.values())
    asked = exercise.varied(variant)
    others = ["", *(known.name for known in exercise.variants if known.name != variant)]
    return max(examine_source(asked, exercise.varied(o).solution).points for o in others)


def fit_for_exam(slug: str) -> tuple[str, ...]:
    """Return the variants in which no other public solution earns above a third."""
    exercise = exercise_named(slug)
    whole = sum(exercise.points.values())
    names = (variant.name for variant in exercise.variants)
    return tuple(name for name in names if 3 * public_points(slug, name) <= whole)
