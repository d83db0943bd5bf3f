"""Grades an answer: hidden inputs, the sandbox, and the comparison, which stays outside.

The answer meets inputs that nobody has seen. What is right is computed here, in the grader's
process, from the exercise's own solution, and never enters the sandbox. If something fails, the
answer meets the public inputs too, and only what it does with those is told to the student.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from attention_course.exercises import Exercise, Probe, Report, recognise
from attention_course.exercises.examine import (
    Finding,
    judge,
    public_calls,
    right_outcome,
)
from attention_course.exercises.runner import Call, Outcome
from attention_course.exercises.say import said_report
from attention_course.grading.answer_grade import AnswerGrade
from attention_course.grading.limits import Limits
from attention_course.grading.plain import one_line, plain
from attention_course.grading.sandbox import Observation, Sandbox
from attention_course.grading.verdicts import Verdict

# A vectorised answer computes for milliseconds. One that hides its loop from the count of
# lines must at least be fast.
VECTORISED_CPU_S = 2
# After so many runs that the clock stopped, the rest are not tried.
MOST_TIMEOUTS = 2
# What tampers with the count of lines.
TRACING = ("settrace", "setprofile", "f_trace", "settrace_all_threads", "_getframe")
NOT_TRIED = "not tried, because the answer was stopped for its time before"
HIDDEN = "holds for the inputs that everybody can see, but not for others of the same kind"

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")

Draw = Callable[[Exercise, Probe], tuple[Sequence[Call], Outcome]]
Seen = list[tuple[Verdict, str, Outcome]]


def grade_answer(
    sandbox: Sandbox, exercise: Exercise, source: str, secret: bytes, identity: str
) -> AnswerGrade:
    """Grade one answer: the same grade on every run and on every machine.

    Args:
        sandbox: a running sandbox with what the exercise uses.
        exercise: what was asked, with the student's variant applied.
        source: the answer.
        secret: the teacher's secret, from which the hidden inputs are drawn.
        identity: the student.

    Raises:
        ValueError: if the sandbox lacks what the exercise uses.
    """
    if sandbox.uses != exercise.uses:
        raise ValueError(
            f"grade_answer: {exercise.slug} needs a sandbox with {exercise.uses}, "
            f"got one with {sandbox.uses}"
        )
    seed = hidden_seed(secret, exercise.slug, identity, source)

    def hidden(exercise: Exercise, probe: Probe) -> tuple[Sequence[Call], Outcome]:
        calls = list(probe.calls(_generator(seed, probe.name)))
        return calls, right_outcome(exercise, probe, calls)

    seen = _meet(sandbox, exercise, source, hidden, MOST_TIMEOUTS)
    verdicts = [verdict for verdict, *_ in seen]
    if Verdict.GRADER_ERROR in verdicts:
        return _not_graded(exercise)
    if set(verdicts) == {Verdict.OK}:
        right = f"{exercise.slug}: right. All {len(seen)} properties hold."
        return _grade(exercise, verdicts, [""] * len(seen), right, None)
    again = max(1, MOST_TIMEOUTS - verdicts.count(Verdict.TIMEOUT))
    shown = _meet(sandbox, exercise, source, _public, again)
    if Verdict.GRADER_ERROR in [verdict for verdict, *_ in shown]:
        return _not_graded(exercise)
    return _explained(exercise, verdicts, shown)


def hidden_seed(secret: bytes, slug: str, identity: str, source: str) -> bytes:
    """Return the seed of a student's hidden inputs: it cannot be guessed, and it repeats."""
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    text = "\0".join((slug, identity, digest)).encode("utf-8", "surrogatepass")
    return hmac.digest(secret, text, "sha256")


def _generator(seed: bytes, name: str) -> np.random.Generator:
    digest = hmac.digest(seed, name.encode(), "sha256")
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))


def _public(exercise: Exercise, probe: Probe) -> tuple[Sequence[Call], Outcome]:
    calls = public_calls(exercise, probe)
    return calls, right_outcome(exercise, probe, calls)


# ---- the answer meets its probes ------------------------------------------------------------


def _meet(sandbox: Sandbox, exercise: Exercise, source: str, draw: Draw, most: int) -> Seen:
    """Let the answer meet every probe, each in a process of its own.

    Args:
        sandbox: where it runs.
        exercise: what was asked.
        source: the answer.
        draw: returns a probe's calls and what is right.
        most: after so many runs that the clock stopped, the rest are not tried.

    Returns:
        For each probe the verdict, the complaint and the outcome.
    """
    seen: Seen = []
    for probe in exercise.probes:
        stopped = sum(verdict == Verdict.TIMEOUT for verdict, *_ in seen)
        if stopped >= most:
            seen.append((Verdict.TIMEOUT, NOT_TRIED, Outcome(error="TIMEOUT")))
            continue
        calls, expected = draw(exercise, probe)
        came = _observe(sandbox, exercise, probe, source, calls, expected)
        seen.append(_judged(exercise, probe, source, expected, came))
        if seen[-1][0] == Verdict.GRADER_ERROR:
            break
    return seen


def _observe(sandbox, exercise, probe, source, calls, expected: Outcome) -> Observation:
    forbidden, limits = exercise.forbidden, sandbox.limits
    if probe.vectorised:
        forbidden += TRACING
        limits = replace(limits, cpu_s=min(limits.cpu_s, VECTORISED_CPU_S))
    size = sum(value.nbytes for value in expected.values if not isinstance(value, str))
    return sandbox.observe(source, calls, forbidden, probe.vectorised, 2 * size + 4096, limits)


def _judged(exercise, probe, source: str, expected: Outcome, came: Observation):
    if came.outcome is None:
        missing = Outcome(error=came.verdict.value)
        return came.verdict, came.verdict.meaning, missing
    outcome = _plain_outcome(came.outcome, source)
    with np.errstate(all="ignore"):
        complaint = plain(_judge(exercise, probe, expected, outcome))
    verdict = came.verdict
    if verdict == Verdict.OK and complaint:
        verdict = Verdict.WRONG
    return verdict, complaint, outcome


def _judge(exercise: Exercise, probe: Probe, expected: Outcome, came: Outcome) -> str:
    """Judge an outcome that may be forged: it may lack what the judge counts on."""
    if probe.vectorised and not came.error and len(came.lines) != len(expected.lines):
        return "the lines that ran cannot be counted: the count was tampered with"
    return judge(exercise, probe, expected, came)


# ---- and is told about it -------------------------------------------------------------------


def _explained(exercise: Exercise, verdicts: list[Verdict], shown: Seen) -> AnswerGrade:
    """Return the grade of an answer that failed; what is told comes from public inputs only."""
    findings = []
    for probe, verdict, (_, complaint, outcome) in zip(
        exercise.probes, verdicts, shown, strict=True
    ):
        told = "" if verdict == Verdict.OK else complaint or HIDDEN
        findings.append(Finding(probe, told, outcome))
    report = Report(exercise, tuple(findings))
    complaints = [finding.complaint for finding in findings]
    return _grade(exercise, verdicts, complaints, plain(said_report(report)), recognise(report))


def _plain_outcome(outcome: Outcome, source: str) -> Outcome:
    """Return an outcome whose texts are safe to show and the same on every run."""
    message = _ADDRESS.sub("0x…", one_line(outcome.message))
    line = "".join(source.split("\n")[outcome.line - 1 : outcome.line]).strip()
    if outcome.error == "SyntaxError" and line.startswith(("%", "!", "?")):
        message = f"{one_line(line, 40)} is a command of the notebook, not Python"
    return replace(outcome, error=one_line(outcome.error), message=message)


def _grade(exercise, verdicts, complaints, message, known) -> AnswerGrade:
    lost = {
        probe.part
        for probe, verdict in zip(exercise.probes, verdicts, strict=True)
        if verdict != Verdict.OK
    }
    parts = {
        part: {"points": 0 if part in lost else most, "max": most, "holds": part not in lost}
        for part, most in exercise.points.items()
    }
    findings = [
        {"probe": probe.name, "part": probe.part, "verdict": verdict.value, "complaint": text}
        for probe, verdict, text in zip(exercise.probes, verdicts, complaints, strict=True)
    ]
    failed = [verdict for verdict in verdicts if verdict != Verdict.OK]
    return AnswerGrade(
        slug=exercise.slug,
        verdict=failed[0] if failed else Verdict.OK,
        points=sum(part["points"] for part in parts.values()),
        max_points=sum(exercise.points.values()),
        parts=parts,
        findings=findings,
        message=message,
        misconception=known.name if known else "",
        hint=known.hint if known else "",
    )


def _not_graded(exercise: Exercise) -> AnswerGrade:
    return AnswerGrade(
        slug=exercise.slug,
        verdict=Verdict.GRADER_ERROR,
        points=None,
        max_points=sum(exercise.points.values()),
        message=f"{exercise.slug}: {Verdict.GRADER_ERROR.meaning}.",
    )
