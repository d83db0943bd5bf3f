"""Runs an exercise's probes on an answer in the sandbox, and judges the results.

First all probes meet it in one process: that is fast, and an answer that passes has passed. A
probe that fails there is tried again in a process of its own, so that nothing an answer left
behind in one probe costs it the next.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf

import numpy as np

from attention_course.exercises.protocol import (
    LARGE_CPU_S,
    Call,
    Exercise,
    Outcome,
    Probe,
    in_time,
    judge,
    observe,
    pack_calls,
    runner,
    witnessed,
)
from course_grader.safe_text import one_line, printable
from course_grader.sandbox.sandbox import Observation, Run, Sandbox
from course_grader.verdicts import Verdict

TOGETHER_CPU_S, TOGETHER_WALL_S = 2, 4.0
# After so many runs that the clock stopped, the rest are not tried.
MOST_TIMEOUTS = 2
NOT_TRIED = "not tried, because the answer was stopped for its time before"
OVER = "stopped, because all that the answer ran took longer together than it may"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")


@dataclass(frozen=True)
class Asked:
    """A probe with its inputs drawn, and what is right."""

    probe: Probe
    calls: tuple[Call, ...]
    expected: Outcome

    @property
    def run(self) -> Run:
        """The calls as the sandbox takes them, with room for twice what is right.

        Where a text is told of the outputs, they are no larger than the inputs.
        """
        sizes = [value.nbytes for value in self.expected.values if not isinstance(value, str)]
        given = len(pack_calls(self.calls)) if self.probe.read else 0
        return Run(self.calls, 2 * sum(sizes) + given + 4096)


@dataclass(frozen=True)
class Seen:
    """What an answer did with a probe; the complaint is empty if the property holds."""

    verdict: Verdict
    complaint: str
    outcome: Outcome


def asked(exercise: Exercise, draw: Callable[[Probe], Sequence[Call]]) -> list[Asked]:
    """Return every probe with its inputs, and what our own solution returns on them.

    Raises:
        RuntimeError: if the solution itself raises; then the probe is wrong.
    """
    defined, found = runner.load(exercise.solution), []
    for probe in exercise.probes:
        calls = tuple(draw(probe))
        expected = observe(exercise, probe, defined, calls, inf)
        if expected.error:
            raise RuntimeError(
                f"asked: the solution of {exercise.slug} must pass {probe.name!r}, "
                f"raised {expected.error}: {expected.message}"
            )
        found.append(Asked(probe, calls, expected))
    return found


def run_probes(
    sandbox: Sandbox, exercise: Exercise, source: str, probes: Sequence[Asked]
) -> list[Seen]:
    """Return what the answer does with every probe; what fails has failed alone as well.

    Behind the exercise's probes may stand more draws of them: they count where all those hold.
    """
    together = _in_one_process(sandbox, exercise, source, probes)
    known = {i: seen for i, seen in together.items() if seen.verdict == Verdict.OK}
    size = len(exercise.probes)
    first = _alone(sandbox, exercise, source, probes[:size], known, MOST_TIMEOUTS)
    if any(one.verdict != Verdict.OK for one in first) or not probes[size:]:
        return first
    rest = {i - size: seen for i, seen in known.items() if i >= size}
    more = _alone(sandbox, exercise, source, probes[size:], rest, MOST_TIMEOUTS, probes[:size])
    names = [probe.name for probe in exercise.probes]
    for one, again in zip(probes[size:], more, strict=False):
        at = names.index(one.probe.name)
        first[at] = again if first[at].verdict == Verdict.OK else first[at]
    return first


def show(
    sandbox: Sandbox,
    exercise: Exercise,
    source: str,
    probes: Sequence[Asked],
    verdicts: Sequence[Verdict],
) -> list[Seen]:
    """Return what the answer does with the public inputs, of which the student is told.

    Where the hidden ones had to be stopped, by their verdicts, it is tried once more only.
    """
    late = Verdict.TIMEOUT in verdicts
    together = {} if late else _in_one_process(sandbox, exercise, source, probes)
    return _alone(sandbox, exercise, source, probes, together, 1 if late else 2)


def show_together(
    sandbox: Sandbox, exercise: Exercise, source: str, probes: Sequence[Asked]
) -> list[Seen]:
    """Return the same of one run for all probes; nothing if it had to be stopped."""
    return [*_in_one_process(sandbox, exercise, source, probes).values()]


def without_inputs(sandbox: Sandbox, exercise: Exercise, source: str) -> list[str]:
    """Return what an answer raises when it is loaded, in words that know no hidden input."""
    came = sandbox.observe(source, (), exercise.forbidden).outcome
    return _safe_to_show(came, source).skipped if came else []


def _in_one_process(
    sandbox: Sandbox, exercise: Exercise, source: str, probes: Sequence[Asked]
) -> dict[int, Seen]:
    """Return what the answer does with the probes in one process; nothing if not clean.

    Where time or memory is measured, a probe is left out: it is seen where it is alone.
    """
    small = {i: one for i, one in enumerate(probes) if not one.probe.alone}
    runs = [one.run for one in small.values()]
    limits = replace(
        sandbox.limits,
        cpu_s=min(sandbox.limits.cpu_s, TOGETHER_CPU_S),
        wall_s=min(sandbox.limits.wall_s, TOGETHER_WALL_S),
    )
    seen = sandbox.observe_together(source, runs, exercise.forbidden, limits) or []
    for one, came in zip(small.values(), seen, strict=False):
        more = {*came.outcome.state} - {*one.expected.state} if came.outcome else set()
        if more & {*runner.GENERATORS}:
            return {}  # it changed more of the session than the task does
    charged: set[str] = set()
    return {
        number: _judged(exercise, small[number], source, came, charged)
        for number, came in zip(small, seen, strict=False)
    }


def _alone(
    sandbox: Sandbox,
    exercise: Exercise,
    source: str,
    probes: Sequence[Asked],
    known: dict[int, Seen],
    most: int,
    before: Sequence[Asked] = (),
) -> list[Seen]:
    """Return what is known, and what the answer does with the other probes, each alone.

    Before each the answer meets the one of its name among ``before``: who remembers results by
    the lengths of the inputs is found out.
    """
    found, stopped = [], 0
    charged: set[str] = set()
    for number, one in enumerate(probes):
        if number in known:
            found.append(known[number])
        elif stopped >= most:
            found.append(Seen(Verdict.TIMEOUT, NOT_TRIED, Outcome(error="TIMEOUT")))
        else:
            earlier = [two for two in before if two.probe.name == one.probe.name]
            came = _one(sandbox, exercise, source, one, earlier)
            found.append(_judged(exercise, one, source, came, charged))
            if sandbox.over and came.verdict == Verdict.TIMEOUT:
                found[-1] = replace(found[-1], complaint=OVER)
                stopped = most
            stopped += came.verdict == Verdict.TIMEOUT
            if came.verdict == Verdict.GRADER_ERROR:
                break
    return found


def _one(
    sandbox: Sandbox, exercise: Exercise, source: str, one: Asked, before: Sequence[Asked]
) -> Observation:
    limits, run = sandbox.limits, one.run
    if before:
        runs = [*(two.run for two in before), run]
        seen = sandbox.observe_together(source, runs, exercise.forbidden, limits) or []
        if len(seen) == len(runs):
            return seen[-1]
    if one.probe.large:
        limits = replace(limits, cpu_s=min(limits.cpu_s, ceil(LARGE_CPU_S)))
    return sandbox.observe(source, run.calls, exercise.forbidden, run.most_bytes, limits)


def _judged(
    exercise: Exercise, one: Asked, source: str, came: Observation, charged: set[str]
) -> Seen:
    verdict, outcome = came.verdict, came.outcome
    # The kernel's clock, which no answer reaches, says how long it computed.
    slow = in_time(one.probe, Outcome(), came.cpu_s)
    if slow.error and verdict in (Verdict.OK, Verdict.ERROR, Verdict.TIMEOUT):
        verdict, outcome = Verdict.OK, slow
    if outcome is None:
        return Seen(verdict, verdict.meaning, Outcome(error=verdict.value))
    outcome = _safe_to_show(witnessed(one.probe, one.calls, outcome, came.held), source)
    with np.errstate(all="ignore"):
        complaint = printable(judge(exercise, one.probe, one.expected, outcome, charged))
    wrong = verdict == Verdict.OK and complaint
    return Seen(Verdict.WRONG if wrong else verdict, complaint, outcome)


def _safe_to_show(outcome: Outcome, source: str) -> Outcome:
    """Return an outcome whose texts are safe to show and the same on every run."""
    message = _ADDRESS.sub("0x…", one_line(outcome.message))
    number = outcome.line if 0 < outcome.line <= source.count("\n") + 1 else 0
    skipped = [_ADDRESS.sub("0x…", one_line(text)) for text in outcome.skipped]
    error = one_line(outcome.error)
    return replace(outcome, error=error, message=message, line=number, skipped=skipped)
