"""Lets an answer meet an exercise's probes in the sandbox, and judges what came.

First all probes meet it in one process: that is fast, and an answer that passes has passed. A
probe that fails there is tried again in a process of its own, so that nothing an answer left
behind in one probe costs it the next.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_course.exercises import Exercise, Probe, runner
from attention_course.exercises.examine import judge, observe
from attention_course.exercises.runner import Call, Outcome
from course_grader.marking.line_counts import uncountable
from course_grader.safe_text import one_line, plain
from course_grader.sandbox.sandbox import Observation, Run, Sandbox
from course_grader.verdicts import Verdict

# A vectorised answer computes for milliseconds. One that hides its loop from the count of
# lines must at least be fast. The same holds for all probes together.
VECTORISED_CPU_S = 2
TOGETHER_CPU_S, TOGETHER_WALL_S = 2, 4.0
# After so many runs that the clock stopped, the rest are not tried.
MOST_TIMEOUTS = 2
# What tampers with the count of lines, or with the reply that it is sent in.
TRACING = (
    *("settrace", "setprofile", "settrace_all_threads", "f_trace", "f_trace_lines"),
    *("_getframe", "f_back", "f_locals", "get_objects", "get_referrers", "ctypes", "_exit"),
)
NOT_TRIED = "not tried, because the answer was stopped for its time before"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")


@dataclass(frozen=True)
class Asked:
    """A probe with its inputs drawn, and what is right."""

    probe: Probe
    calls: tuple[Call, ...]
    expected: Outcome

    @property
    def run(self) -> Run:
        """The calls as the sandbox takes them, with room for twice what is right."""
        sizes = [value.nbytes for value in self.expected.values if not isinstance(value, str)]
        return Run(self.calls, self.probe.vectorised, 2 * sum(sizes) + 4096)


@dataclass(frozen=True)
class Seen:
    """What an answer did with a probe; the complaint is empty if the property holds."""

    verdict: Verdict
    complaint: str
    outcome: Outcome


def asked(exercise: Exercise, draw: Callable[[Probe], Sequence[Call]]) -> list[Asked]:
    """Return every probe with its inputs, and what our own solution returns on them.

    Args:
        exercise: what was asked.
        draw: returns a probe's calls.

    Raises:
        RuntimeError: if the solution itself raises; then the probe is wrong.
    """
    defined, found = runner.load(exercise.solution), []
    for probe in exercise.probes:
        calls = tuple(draw(probe))
        expected = observe(exercise, probe, defined, calls)
        if expected.error:
            raise RuntimeError(
                f"asked: the solution of {exercise.slug} must pass {probe.name!r}, "
                f"raised {expected.error}: {expected.message}"
            )
        found.append(Asked(probe, calls, expected))
    return found


def meet(
    sandbox: Sandbox, exercise: Exercise, source: str, probes: Sequence[Asked]
) -> list[Seen]:
    """Return what the answer does with every probe; what fails has failed alone as well."""
    together = _together(sandbox, exercise, source, probes)
    known = {i: seen for i, seen in enumerate(together) if seen.verdict == Verdict.OK}
    return _alone(sandbox, exercise, source, probes, known, MOST_TIMEOUTS)


def show(
    sandbox: Sandbox,
    exercise: Exercise,
    source: str,
    probes: Sequence[Asked],
    verdicts: Sequence[Verdict],
) -> list[Seen]:
    """Return what the answer does with the public inputs, of which the student is told.

    Args:
        sandbox: where it runs.
        exercise: what was asked.
        source: the answer.
        probes: the probes with their public inputs.
        verdicts: what came of the hidden ones; one that was stopped is tried once more only.
    """
    late = Verdict.TIMEOUT in verdicts
    together = [] if late else _together(sandbox, exercise, source, probes)
    return _alone(
        sandbox, exercise, source, probes, dict(enumerate(together)), 1 if late else 2
    )


def _together(
    sandbox: Sandbox, exercise: Exercise, source: str, probes: Sequence[Asked]
) -> list[Seen]:
    """Return what the answer does with all probes in one process; nothing if not clean."""
    runs = [one.run for one in probes]
    tracing = TRACING if any(one.probe.vectorised for one in probes) else ()
    limits = replace(
        sandbox.limits,
        cpu_s=min(sandbox.limits.cpu_s, TOGETHER_CPU_S),
        wall_s=min(sandbox.limits.wall_s, TOGETHER_WALL_S),
    )
    seen = sandbox.observe_together(source, runs, exercise.forbidden + tracing, limits) or []
    for one, came in zip(probes, seen, strict=False):
        if came.outcome and not set(came.outcome.state) <= set(one.expected.state):
            return []  # it changed more of the session than the task does
    charged: set[str] = set()
    return [
        _judged(exercise, one, source, came, charged)
        for one, came in zip(probes, seen, strict=False)
    ]


def _alone(
    sandbox: Sandbox,
    exercise: Exercise,
    source: str,
    probes: Sequence[Asked],
    known: dict[int, Seen],
    most: int,
) -> list[Seen]:
    """Return what is known, and what the answer does with the other probes, each alone."""
    found, stopped = [], 0
    charged: set[str] = set()
    for number, one in enumerate(probes):
        if number in known:
            found.append(known[number])
        elif stopped >= most:
            found.append(Seen(Verdict.TIMEOUT, NOT_TRIED, Outcome(error="TIMEOUT")))
        else:
            came = _one(sandbox, exercise, source, one)
            found.append(_judged(exercise, one, source, came, charged))
            stopped += came.verdict == Verdict.TIMEOUT
            if came.verdict == Verdict.GRADER_ERROR:
                break
    return found


def _one(sandbox: Sandbox, exercise: Exercise, source: str, one: Asked) -> Observation:
    forbidden, limits, run = exercise.forbidden, sandbox.limits, one.run
    if one.probe.vectorised:
        forbidden += TRACING
        limits = replace(limits, cpu_s=min(limits.cpu_s, VECTORISED_CPU_S))
    return sandbox.observe(source, run.calls, forbidden, run.count, run.most_bytes, limits)


def _judged(
    exercise: Exercise, one: Asked, source: str, came: Observation, charged: set[str]
) -> Seen:
    if came.outcome is None:
        return Seen(came.verdict, came.verdict.meaning, Outcome(error=came.verdict.value))
    outcome = _plain(came.outcome, source)
    with np.errstate(all="ignore"):
        complaint = plain(_complaint(exercise, one, outcome, charged))
    if one.probe.vectorised and not complaint and (reach := uncountable(source)):
        complaint = f"{reach} has no place where lines are counted: compute with arrays alone"
        # Its numbers are right: they are like those of no mistake.
        outcome = replace(outcome, error="uncountable")
    wrong = came.verdict == Verdict.OK and complaint
    return Seen(Verdict.WRONG if wrong else came.verdict, complaint, outcome)


def _complaint(exercise: Exercise, one: Asked, came: Outcome, charged: set[str]) -> str:
    """Judge an outcome that may be forged: it may lack what the judge counts on."""
    counted = len(came.lines) == len(one.expected.lines)
    if one.probe.vectorised and not came.error and not counted:
        return "the lines that ran cannot be counted: the count was tampered with"
    return judge(exercise, one.probe, one.expected, came, charged)


def _plain(outcome: Outcome, source: str) -> Outcome:
    """Return an outcome whose texts are safe to show and the same on every run."""
    message = _ADDRESS.sub("0x…", one_line(outcome.message))
    line = "".join(source.split("\n")[outcome.line - 1 : outcome.line]).strip()
    if outcome.error == "SyntaxError" and line.startswith(("%", "!", "?")):
        message = f"{one_line(line, 40)} is a command of the notebook, not Python"
    if outcome.error == "ForbiddenError" and message.split(" ")[0] in TRACING:
        message = f"{message.split(' ')[0]} has no place where lines are counted"
    number = outcome.line if 0 < outcome.line <= source.count("\n") + 1 else 0
    return replace(outcome, error=one_line(outcome.error), message=message, line=number)
