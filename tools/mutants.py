#!/usr/bin/env python3
"""Print which check caught which wrong answer, and fail if one slipped through.

What an answer does is kept in ``.make/answers``, by what it depends on: the answer, its
exercise's files, what all exercises share and may import, Python and the libraries. Nothing
is run twice, in one run of the gate or from run to run; ``make clean`` forgets.
"""

import hashlib
import os
import pickle
import platform
import shutil
import sys
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from filelock import FileLock
from rules.source import ROOT

from attention_course.exercises import Exercise, Report, Wrong, all_exercises, examine_source
from attention_course.exercises.examine import Finding, distance, isolating, public_right
from attention_course.exercises.rewrites import rewrites

KEPT = ROOT / ".make" / "answers"
EXERCISES = "src/attention_course/exercises"
# What exercises may import, beside what they share.
IMPORTED = ("src/attention_course/reference", "src/attention_course/layers")
LIBRARIES = ("numpy", "torch")
# Reports at hand: those of an exercise and a form or two; the others are read again.
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
    """Examine an answer, or give what was found of it when it was run before.

    Raises:
        ModuleNotFoundError: if the exercise uses torch and it is not here: every answer would
            fail, the right one too, and that says nothing of its checks.
    """
    if exercise.uses == "torch" and find_spec("torch") is None:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")
    asked = [probe.name for probe in exercise.probes]
    key = "\0".join([exercise.slug, exercise.title, exercise.solution, source, *asked])
    if key not in _REPORTS:
        if len(_REPORTS) >= MOST:
            del _REPORTS[next(iter(_REPORTS))]
        _REPORTS[key] = _kept(exercise, source, hashlib.sha256(key.encode()).hexdigest()[:32])
    return _REPORTS[key]


def _kept(exercise: Exercise, source: str, name: str) -> Report:
    path = KEPT / exercise.slug / run_by(exercise.slug) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(KEPT / f"{exercise.slug}.lock"):  # another worker may be at it
        if not path.is_file():
            report = examine_source(exercise, source)
            findings = (*report.findings, *report.isolated)
            found = [(finding.complaint, finding.outcome) for finding in findings]
            unfinished = path.with_suffix(f".{os.getpid()}")
            unfinished.write_bytes(pickle.dumps(found))
            unfinished.replace(path)
    found = pickle.loads(path.read_bytes())
    pairs = zip(
        (*exercise.probes, *isolating(exercise)), found, strict=False
    )  # isolating ones only if it failed
    findings = tuple(Finding(probe, *one) for probe, one in pairs)
    first = len(exercise.probes)
    return Report(exercise, findings[:first], findings[first:])


@cache
def run_by(slug: str) -> str:
    """Return the hash of all that decides what comes of an answer; drop what is older."""
    found = _hash(ROOT, slug)
    for old in (KEPT / slug).glob("*/"):
        if old.name != found:
            shutil.rmtree(old, ignore_errors=True)
    return found


def _hash(root: Path, slug: str) -> str:
    exercises, bank = root / EXERCISES, root / EXERCISES / "bank"
    files = [*exercises.glob("*.py"), *bank.glob("*.*"), *(bank / slug).glob("*.*")]
    files += [path for part in IMPORTED for path in (root / part).rglob("*.py")]
    digest = hashlib.sha256(f"{platform.python_version()} {platform.machine()}".encode())
    for library in LIBRARIES:
        digest.update(_version(library).encode())
    for path in sorted({*files, root / "tools/mutants.py"}):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _version(library: str) -> str:
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return f"no {library}"


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
        caught = {
            w.name: report_on(exercise, exercise.source_of(w)).failed for w in exercise.wrong
        }
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
