"""Grades an answer: hidden inputs, the sandbox, and the comparison, which stays outside.

The answer meets inputs that nobody has seen. What is right is computed here, in the grader's
process, from the exercise's own solution, and never enters the sandbox. If something fails, the
answer meets the public inputs too, and only what it does with those is told to the student.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attention_course.exercises import Exercise, Report, Wrong, diagnose
from attention_course.exercises.check import said_report
from attention_course.exercises.diagnosis import names_of
from attention_course.exercises.examine import Finding, isolating, public_calls
from course_grader.marking.answer_grade import AnswerGrade
from course_grader.marking.probing import NOT_TRIED, Seen, asked, meet, show
from course_grader.safe_text import plain
from course_grader.sandbox.sandbox import Sandbox
from course_grader.verdicts import Verdict

HIDDEN = "holds for the inputs that everybody can see, but not for others of the same kind"


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
    try:
        hidden = asked(exercise, lambda probe: probe.calls(_generator(seed, probe.name)))
    except RuntimeError:
        return _not_graded(exercise)
    seen = meet(sandbox, exercise, source, hidden)
    verdicts = [one.verdict for one in seen]
    if Verdict.GRADER_ERROR in verdicts:
        return _not_graded(exercise)
    if set(verdicts) == {Verdict.OK}:
        right = f"{exercise.slug}: right. All {len(seen)} properties hold."
        return _grade(exercise, verdicts, [""] * len(seen), right, ())
    told = replace(exercise, probes=(*exercise.probes, *isolating(exercise)))
    public = asked(told, lambda probe: public_calls(exercise, probe))
    shown = show(sandbox, exercise, source, public, verdicts)
    if Verdict.GRADER_ERROR in [one.verdict for one in shown]:
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


# ---- what the student is told ---------------------------------------------------------------


def _explained(
    exercise: Exercise, verdicts: list[Verdict], shown: Sequence[Seen]
) -> AnswerGrade:
    """Return the grade of an answer that failed; what is told comes from public inputs only."""
    findings = []
    first = len(exercise.probes)
    for probe, verdict, one in zip(exercise.probes, verdicts, shown[:first], strict=True):
        told = "" if verdict == Verdict.OK else one.complaint or HIDDEN
        findings.append(Finding(probe, told, one.outcome))
    alone = zip(isolating(exercise), shown[first:], strict=True)
    isolated = tuple(Finding(probe, one.complaint, one.outcome) for probe, one in alone)
    report = Report(exercise, tuple(findings), isolated)
    complaints = [finding.complaint for finding in findings]
    message = plain(_with_untried(said_report(report), complaints))
    return _grade(exercise, verdicts, complaints, message, diagnose(report).mistakes)


def _with_untried(message: str, complaints: Sequence[str]) -> str:
    """Return the report with a line, below its first, on what was not examined at all."""
    untried = complaints.count(NOT_TRIED)
    if not untried:
        return message
    first, rest = message.split("\n", 1)
    others = "1 other was" if untried == 1 else f"the {untried} others were"
    return f"{first}\nThe answer took too long, so {others} not examined.\n{rest}"


def _grade(
    exercise: Exercise,
    verdicts: Sequence[Verdict],
    complaints: Sequence[str],
    message: str,
    known: Sequence[Wrong],
) -> AnswerGrade:
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
        misconception=names_of(known),
        hint=" ".join(dict.fromkeys(wrong.hint for wrong in known)),
    )


def _not_graded(exercise: Exercise) -> AnswerGrade:
    return AnswerGrade(
        slug=exercise.slug,
        verdict=Verdict.GRADER_ERROR,
        points=None,
        max_points=sum(exercise.points.values()),
        message=f"{exercise.slug}: {Verdict.GRADER_ERROR.meaning}.",
    )
