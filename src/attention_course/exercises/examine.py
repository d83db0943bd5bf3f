"""Decides whether an answer is right: calls it, compares what came, names known mistakes."""

import hashlib
import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_course.exercises import runner, triton_answer
from attention_course.exercises.exercise import Exercise, Probe, Wrong
from attention_course.exercises.runner import Call, Outcome

# Lines of Python may grow by this factor and this many when the inputs grow.
LINES_FACTOR, LINES_MORE = 1.5, 40
# As many lines as a right answer may take for a short input; long inputs are longer than this.
MOST_SHORT = 1000


@dataclass(frozen=True)
class Finding:
    """What one probe found: the complaint is empty if the property holds."""

    probe: Probe
    complaint: str
    outcome: Outcome


@dataclass(frozen=True)
class Report:
    """What was found about an answer, probe by probe."""

    exercise: Exercise
    findings: tuple[Finding, ...]

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The findings that complain."""
        return tuple(finding for finding in self.findings if finding.complaint)

    @property
    def right(self) -> bool:
        """Whether every property holds."""
        return not self.failed

    @property
    def parts(self) -> dict[str, bool]:
        """For each part of the exercise, whether all its properties hold."""
        lost = {finding.probe.part for finding in self.failed}
        return {part: part not in lost for part in self.exercise.points}

    @property
    def points(self) -> int:
        """The points of the parts that hold."""
        return sum(self.exercise.points[part] for part, holds in self.parts.items() if holds)


def generator(*names: str) -> np.random.Generator:
    """Return the generator that belongs to these names: the same ones, the same numbers."""
    digest = hashlib.sha256("\0".join(names).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))


def public_calls(exercise: Exercise, probe: Probe) -> list[Call]:
    """Return a probe's calls with the inputs that everybody may see."""
    return list(probe.calls(generator("public", exercise.slug, probe.name)))


def right_outcome(exercise: Exercise, probe: Probe, calls: Sequence[Call]) -> Outcome:
    """Return what our solution does with the calls.

    Raises:
        RuntimeError: if the solution itself raises; then the probe is wrong.
    """
    with _quietly():
        defined = _load(exercise, exercise.solution)
    outcome = observe(exercise, probe, defined, calls)
    if outcome.error:
        raise RuntimeError(
            f"{exercise.slug}: the solution must pass {probe.name!r}, "
            f"raised {outcome.error}: {outcome.message}"
        )
    return outcome


def observe(
    exercise: Exercise, probe: Probe, defined: dict[str, Any], calls: Sequence[Call]
) -> Outcome:
    """Make a probe's calls on an answer in this process."""
    with np.errstate(), _quietly():
        if exercise.launch is not None and exercise.target in defined:
            answer = defined[exercise.target]
            defined = {exercise.target: triton_answer.launched(answer, exercise.launch)}
        return runner.run(defined, calls, exercise.uses != "numpy", probe.vectorised)


def _load(exercise: Exercise, source: str, forbidden: Sequence[str] = ()) -> dict[str, Any]:
    load = triton_answer.load if exercise.uses == "triton" else runner.load
    return load(source, forbidden)


def examine(exercise: Exercise, defined: dict[str, Any]) -> Report:
    """Examine an answer in this process, with the public inputs.

    Args:
        exercise: what was asked.
        defined: what the answer defines, by name.
    """
    return Report(exercise, tuple(_findings(exercise, defined)))


def examine_source(exercise: Exercise, source: str) -> Report:
    """Examine an answer given as source; one that cannot be loaded fails every probe."""
    return Report(exercise, tuple(findings_of_source(exercise, source)))


def _findings(exercise: Exercise, defined: dict[str, Any]) -> Iterator[Finding]:
    """Examine probe by probe, as far as somebody asks."""
    for probe in exercise.probes:
        expected = public_right(exercise, probe)
        came = observe(exercise, probe, defined, public_calls(exercise, probe))
        yield Finding(probe, judge(exercise, probe, expected, came), came)


def findings_of_source(exercise: Exercise, source: str) -> Iterator[Finding]:
    """Examine an answer given as source probe by probe, as far as somebody asks."""
    failed = None
    try:
        with _quietly():
            defined = _load(exercise, source, exercise.forbidden)
    except (Exception, SystemExit) as error:
        line = getattr(error, "line", 0) or getattr(error, "lineno", 0) or 0
        failed = Outcome(error=type(error).__name__, message=str(error), line=line)
    if failed is None:
        yield from _findings(exercise, defined)
        return
    for probe in exercise.probes:
        yield Finding(probe, said_error(failed), failed)


def judge(exercise: Exercise, probe: Probe, expected: Outcome, came: Outcome) -> str:
    """Return what is wrong with an outcome, or an empty text.

    Shapes are compared before values, and nothing is broadcast.
    """
    if came.error:
        return said_error(came)
    if came.names != expected.names:
        return f"expected the results {expected.names}, came {came.names}"
    for name, right, value, kind, right_kind in zip(
        came.names, expected.values, came.values, came.kinds, expected.kinds, strict=True
    ):
        complaint = _compare(exercise, name, right, value)
        if not complaint and probe.dtype and kind != right_kind:
            complaint = f"{name}: expected dtype {right_kind}, came {kind}"
        if complaint:
            return complaint
    if came.changed:
        return f"the call overwrote its argument {came.changed[0]}: work on a copy"
    more = [name for name in came.state if name not in expected.state]
    if more:
        return f"the call changed {more[0]}"
    if probe.vectorised and came.lines[-1] > _allowed(came.lines[0]):
        return (
            f"{came.lines[0]} lines of Python ran for the short input and {came.lines[-1]} "
            "for the long one: there is a loop over its length"
        )
    return ""


def _allowed(short: int) -> float:
    """Return how many lines a long input may take; idle ones in the short one add none."""
    return LINES_FACTOR * min(short, MOST_SHORT) + LINES_MORE


def said_error(outcome: Outcome) -> str:
    """Return an error in one sentence; of a wrong return, which raised nothing, what came."""
    where = f" (line {outcome.line} of your cell)" if outcome.line else ""
    message = outcome.message.splitlines()[0] if outcome.message else ""
    if outcome.error == runner.WrongReturnError.__name__ and message:
        return message
    return f"raised {outcome.error}{where}" + (f": {message}" if message else "")


def _compare(exercise: Exercise, name: str, right: Any, value: Any) -> str:
    if isinstance(right, str) or isinstance(value, str):
        same = type(right) is type(value) and right == value
        return "" if same else f"{name}: expected {_said(right)}, came {_said(value)}"
    if value.shape != right.shape:
        return f"{name}: expected shape {right.shape}, came {value.shape}"
    if (right.dtype == bool) != (value.dtype == bool):
        wanted = "True and False" if right.dtype == bool else "numbers"
        return f"{name}: expected {wanted}, came dtype {value.dtype}"
    wrong = ~(distance(exercise, right, value) <= 1)
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    index = f"[{', '.join(map(str, at))}]" if at else ""
    more = int(wrong.sum()) - 1
    rest = f", and {more} more of {wrong.size}" if more else ""
    return f"{name}{index}: expected {_number(right[at])}, came {_number(value[at])}{rest}"


def distance(exercise: Exercise, right: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Return how many tolerances each number is off; NaN where one of the two is NaN alone.

    The tolerance is ``atol + rtol * max |right|``: a share of the largest number expected, so
    that an answer in single precision is not rejected where a sum happens to cancel.
    """
    if right.dtype == bool:
        return np.where(right == value, 0.0, np.inf)
    finite = np.abs(right[np.isfinite(right)])
    tolerance = exercise.atol + exercise.rtol * finite.max(initial=0.0)
    same = (right == value) | (np.isnan(right) & np.isnan(value))
    with np.errstate(invalid="ignore"):
        return np.where(same, 0.0, np.abs(value - right) / tolerance)


def _said(x: Any) -> str:
    return repr(x) if isinstance(x, str) else f"an array of shape {x.shape}"


def _number(x: Any) -> str:
    return str(bool(x)) if isinstance(x, np.bool_) else f"{float(x):.6g}"


def recognise(report: Report) -> Wrong | None:
    """Return the named wrong answer that fails the same probes in the same way, if any does.

    The same means: the same error, or the same numbers within the tolerance. Of several, the
    one that agrees on most probes. Silent ones are never named.
    """
    best, most = None, 0
    for wrong in report.exercise.wrong:
        if wrong.silent:
            continue
        agree = _agreement(report, _public_wrong(report.exercise, wrong))
        if agree > most:
            best, most = wrong, agree
    return best


def _agreement(report: Report, known: "_Known") -> int:
    """Return on how many probes two answers agree; 0 if one that either fails differs."""
    agree = 0
    for finding, other in zip(report.findings, known, strict=True):
        alike = _alike(report.exercise, finding, other)
        if finding.complaint and not alike:
            return 0
        if other.complaint and not _same_outcome(report.exercise, finding, other):
            return 0
        agree += alike
    return agree


def _alike(exercise: Exercise, finding: Finding, other: Finding) -> bool:
    if bool(finding.complaint) != bool(other.complaint):
        return False
    return _same_outcome(exercise, finding, other)


def _same_outcome(exercise: Exercise, finding: Finding, other: Finding) -> bool:
    mine, known = finding.outcome, other.outcome
    if mine.error or known.error:
        return mine.error == known.error and mine.error not in ("", "NotImplementedError")
    if (mine.names, mine.changed, mine.state) != (known.names, known.changed, known.state):
        return False
    return all(
        not _compare(exercise, "", theirs, own)
        for theirs, own in zip(known.values, mine.values, strict=True)
    )


# An exercise holds a dictionary and is not hashable; its slug and title name it.
_CACHE: dict[tuple[Any, ...], Any] = {}


def public_right(exercise: Exercise, probe: Probe) -> Outcome:
    """Return what our solution does with a probe's public calls."""
    key = (exercise.slug, exercise.title, probe.name)
    if key not in _CACHE:
        _CACHE[key] = right_outcome(exercise, probe, public_calls(exercise, probe))
    return _CACHE[key]


class _Known:
    """The findings about a named wrong answer, made in order as far as they are asked for."""

    def __init__(self, exercise: Exercise, wrong: Wrong):
        self.made: list[Finding] = []
        self.rest = findings_of_source(exercise, exercise.source_of(wrong))

    def __iter__(self) -> Iterator[Finding]:
        yield from self.made
        for finding in self.rest:
            self.made.append(finding)
            yield finding


def _public_wrong(exercise: Exercise, wrong: Wrong) -> "_Known":
    key = (exercise.slug, exercise.title, "wrong", wrong.name)
    if key not in _CACHE:
        _CACHE[key] = _Known(exercise, wrong)
    return _CACHE[key]


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep an answer's prints and warnings from the reader while it is examined."""
    with redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
