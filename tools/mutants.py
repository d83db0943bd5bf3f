"""Print which check caught which wrong answer, and fail if one slipped through.

What an answer does is found out once in a process.
"""

import sys
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from attention_course.exercises import Exercise, Report, Wrong, all_exercises, examine_source
from attention_course.exercises.examine import Finding, distance, isolating, public_right
from attention_course.exercises.rewrites import rewrites

# Reports at hand: those of an exercise and a form or two.
MOST = 250
_REPORTS: dict[str, Report] = {}


def without_large(exercise: Exercise) -> Exercise:
    """Return the exercise without its large inputs, which take longer than all the others."""
    return replace(exercise, probes=tuple(p for p in exercise.probes if not p.large))


def report_of(exercise: Exercise, wrong: Wrong) -> Report:
    """Examine a wrong answer; of the large inputs only if it has a loop."""
    loops = wrong.family in {"loops", "slow"}
    return report_on(exercise if loops else without_large(exercise), exercise.source_of(wrong))


def report_on(exercise: Exercise, source: str) -> Report:
    """Examine an answer, or give what was found of it when it was run before."""
    # Every answer would fail, the right one too, and that says nothing of its checks.
    if exercise.uses == "torch" and find_spec("torch") is None:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")
    asked = [probe.name for probe in exercise.probes]
    key = "\0".join([exercise.slug, exercise.title, exercise.solution, source, *asked])
    if key not in _REPORTS:
        if len(_REPORTS) >= MOST:
            del _REPORTS[next(iter(_REPORTS))]
        _REPORTS[key] = examine_source(exercise, source)
    return _REPORTS[key]


# Mistakes are recognised by what the wrong answers gave: that too is found out once.
diagnosis = import_module("attention_course.exercises.diagnosis")
_tried = diagnosis.tried


class _Kept:
    """What a mistake gave, probe by probe; what it does with a large input is rarely asked."""

    def __init__(self, exercise: Exercise, mistakes: tuple[Wrong, ...], report: Report):
        self.asked = exercise, mistakes
        found = iter((*report.findings, *report.isolated))
        every = (*exercise.probes, *isolating(exercise))
        self.made = {i: next(found) for i, probe in enumerate(every) if not probe.large}

    def __getitem__(self, number: int) -> Finding:
        return self.made[number] if number in self.made else _tried(*self.asked)[number]


def _remembered(exercise: Exercise, mistakes: tuple[Wrong, ...]) -> object:
    if len(mistakes) > 1:
        return _tried(exercise, mistakes)
    report = report_on(without_large(exercise), exercise.source_of(mistakes[0]))
    if not report.isolated:  # it could not be loaded: then nothing that isolates was tried
        return _tried(exercise, mistakes)
    return _Kept(exercise, mistakes, report)


diagnosis.tried = _remembered


def margin(report: Report) -> float:
    """Return how many tolerances the worst number is off: infinite if it is not about numbers.

    Of an answer that fails, the number that is worst counts, because one is enough to catch it.
    """
    worst = 0.0
    for finding in report.findings:
        if finding.probe.large and not finding.complaint:
            continue  # its numbers are not kept
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


def main() -> int:
    """Print the matrix; return 1 if a wrong answer passed or a right one was rejected."""
    red = 0
    for exercise in all_exercises().values():
        sources = {w.name: exercise.source_of(w) for w in exercise.wrong}
        caught = {name: report_on(exercise, text).failed for name, text in sources.items()}
        odd = [*map(exercise.source_of, exercise.right), *rewrites(exercise).values()]
        right = sum(report_on(exercise, source).right for source in odd)
        stopped = sum(map(bool, caught.values()))
        print(f"\n{exercise.slug}: {stopped} of {len(caught)} wrong answers caught, ", end="")
        print(f"{right} of {len(odd)} odd ones accepted")
        for name, found in caught.items():
            print(f"  {name:72s} {found[0].probe.name if found else 'NOT CAUGHT'}")
        red += stopped < len(caught) or right < len(odd)
    print(f"\n{red} exercises let something through." if red else "\nNothing got through.")
    return min(red, 1)


if __name__ == "__main__":
    sys.exit(main())
