#!/usr/bin/env python3
"""Print which check caught which wrong answer, and fail if one slipped through."""

import sys
from functools import cache

import numpy as np

from attention_course.exercises import Exercise, Report, Wrong, all_exercises, examine_source
from attention_course.exercises.examine import distance, findings_of_source, public_right
from attention_course.exercises.oddities import oddities

_REPORTS: dict[tuple[str, str, str], Report] = {}


def killed_by(exercise: Exercise, wrong: Wrong) -> str | None:
    """Return the first probe that caught a wrong answer, or None if it got through."""
    source = exercise.source_of(wrong)
    known = _REPORTS.get((exercise.slug, exercise.title, source))
    findings = known.findings if known else findings_of_source(exercise, source)
    return next((finding.probe.name for finding in findings if finding.complaint), None)


def report_on(exercise: Exercise, source: str) -> Report:
    """Examine an answer, once: the same source is not run again."""
    key = (exercise.slug, exercise.title, source)
    if key not in _REPORTS:
        _REPORTS[key] = examine_source(exercise, source)
    return _REPORTS[key]


def margin(report: Report) -> float:
    """Return how many tolerances the worst number is off: infinite if it is not about numbers.

    Of an answer that fails, the number that is worst counts, because one is enough to catch it.
    """
    worst = 0.0
    for finding in report.findings:
        exercise, came = report.exercise, finding.outcome
        right = public_right(exercise, finding.probe)
        shapes = [getattr(v, "shape", v) for v in right.values]
        if came.names != right.names or shapes != [getattr(v, "shape", v) for v in came.values]:
            return np.inf
        for expected, value in zip(right.values, came.values, strict=True):
            if not isinstance(expected, str):
                off = np.nan_to_num(distance(exercise, expected, value), nan=np.inf)
                worst = max(worst, float(off.max(initial=0.0)))
        if finding.complaint and worst <= 1:
            return np.inf
    return worst


@cache
def rates() -> list[dict]:
    """Return for each exercise how many wrong answers were caught and right ones accepted."""
    rows = []
    for exercise in all_exercises().values():
        odd = [exercise.source_of(o) for o in exercise.odd] + list(oddities(exercise).values())
        rows.append(
            {
                "exercise": exercise,
                "wrong": len(exercise.wrong),
                "caught": sum(
                    killed_by(exercise, wrong) is not None for wrong in exercise.wrong
                ),
                "odd": len(odd),
                "accepted": sum(report_on(exercise, source).right for source in odd),
            }
        )
    return rows


def main() -> int:
    """Print the matrix; return 1 if a wrong answer passed or a right one was rejected."""
    red = 0
    for row in rates():
        exercise = row["exercise"]
        print(
            f"\n{exercise.slug}: {row['caught']} of {row['wrong']} wrong answers caught, ",
            end="",
        )
        print(f"{row['accepted']} of {row['odd']} odd ones accepted")
        for wrong in exercise.wrong:
            print(f"  {wrong.name:72s} {killed_by(exercise, wrong) or 'NOT CAUGHT'}")
        red += row["caught"] < row["wrong"] or row["accepted"] < row["odd"]
    print(f"\n{red} exercises let something through." if red else "\nNothing got through.")
    return min(red, 1)


if __name__ == "__main__":
    sys.exit(main())
