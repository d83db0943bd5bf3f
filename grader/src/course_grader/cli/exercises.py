"""``attention-course exercises``: the bank, and what public solutions earn in each variant."""

import argparse
from importlib.util import find_spec

from attention_course.exercises.protocol import (
    Exercise,
    all_exercises,
    examine_source,
    exercise_named,
)
from course_grader.safe_text import aligned


def run(options: argparse.Namespace) -> int:
    """Print a line for each exercise: name, chapter, minutes, points, variants."""
    chapters = sorted({exercise.chapter for exercise in all_exercises().values()})
    if not any(options.chapter in chapter for chapter in chapters):
        known = ", ".join(chapters)
        raise ValueError(f"--chapter must be part of one of {known}, got {options.chapter!r}")
    rows = [("EXERCISE", "CHAPTER", "MIN", "POINTS", "VARIANTS")]
    for exercise in sorted(all_exercises().values(), key=lambda found: found.chapter):
        if options.chapter in exercise.chapter:
            minutes, points = str(exercise.minutes), str(sum(exercise.points.values()))
            said = (_said(exercise, form, options.earns) for form in exercise.forms)
            variants = ", ".join(said) or "-"
            rows.append((exercise.slug, exercise.chapter, minutes, points, variants))
    print("\n".join(aligned(rows)))
    return 0


def _said(exercise: Exercise, variant: str, earns: bool) -> str:
    if not earns:
        return variant
    can = exercise.uses == "numpy" or find_spec("torch") is not None
    return f"{variant} ({public_points(exercise.slug, variant) if can else '?'})"


def public_points(slug: str, variant: str) -> int:
    """Return the most points that a public solution to another form earns in this one.

    The other forms are the course's own and the other variants, one by one and together.
    """
    exercise = exercise_named(slug)
    asked = exercise.varied(variant)
    others = [form for form in ("", *exercise.forms) if form != variant]
    return max(examine_source(asked, exercise.varied(o).solution).points for o in others)
