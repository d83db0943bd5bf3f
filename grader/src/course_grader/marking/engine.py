"""Grades an answer: hidden inputs, the sandbox, and the comparison, which stays outside.

The answer is run on hidden inputs. What is right is computed here, in the grader's
process, from the exercise's own solution, and never enters the sandbox. If something fails, the
answer meets the public inputs too, and only what it does with those is told to the student. Of
a teacher's own exercise only those count as public that the teacher calls so.
"""

import builtins
import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from attention_course.exercises.protocol import (
    TOO_SLOW,
    Call,
    Exercise,
    Finding,
    Probe,
    Report,
    Wrong,
    diagnose,
    drawn_calls,
    isolating,
    names_of,
    public_calls,
    said_report,
    without_large,
)
from course_grader.marking.probing import (
    NOT_TRIED,
    Asked,
    Seen,
    asked,
    run_probes,
    show,
    without_inputs,
)
from course_grader.safe_text import printable
from course_grader.sandbox.sandbox import Sandbox
from course_grader.submissions.teacher_exercise import TeacherError
from course_grader.verdicts import Verdict

HIDDEN = "holds for the inputs that everybody can see, but not for others of the same kind"
# So often the hidden inputs are drawn of an answer that is right on the first ones, and the
# public ones, to show where an answer fails.
DRAWS, MOST_SHOWN = 4, 8
UNSHOWN = "does not hold for inputs that only your teacher has"
SLOW = "takes too long on a large input: is there a loop?"


@dataclass(frozen=True)
class AnswerGrade:
    """What was decided about one answer, without a trace of the hidden inputs.

    Args:
        slug: the exercise.
        verdict: OK if every property holds, else the first thing that went wrong.
        points: what was reached; None if the grader failed, because then nothing is known.
        max_points: what could be reached.
        parts: for each part its ``points``, its ``max`` and whether it ``holds``.
        findings: for each property its ``probe``, ``part``, ``verdict`` and ``complaint``.
        message: what the student reads.
        misconception: the name of the known mistake that did the same, or an empty text.
        hint: what to think about.
        left_out: which statements raised when the answer was loaded, and what.
    """

    slug: str
    verdict: Verdict
    points: int | None
    max_points: int
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    findings: list[dict[str, str]] = field(default_factory=list)
    message: str = ""
    misconception: str = ""
    hint: str = ""
    left_out: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        """Return the grade as text: sorted, ASCII, the same on every run."""
        return json.dumps(asdict(self), indent=1, sort_keys=True)


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
        TeacherError: if a teacher's own exercise cannot draw its inputs, or answer them.
    """
    if sandbox.uses != exercise.uses:
        raise ValueError(
            f"grade_answer: {exercise.slug} needs a sandbox with {exercise.uses}, "
            f"got one with {sandbox.uses}"
        )
    seed = hidden_seed(secret, exercise.slug, identity, source)
    try:
        hidden = hidden_probes(exercise, seed)
    except RuntimeError as error:
        if exercise.own:
            raise TeacherError(str(error)) from error
        return _not_graded(exercise)
    seen = run_probes(sandbox, exercise, source, hidden)
    verdicts = [one.verdict for one in seen]
    if Verdict.GRADER_ERROR in verdicts:
        return _not_graded(exercise)
    left_out = list[str]()
    if any(one.outcome.skipped for one in seen):
        left_out = without_inputs(sandbox, exercise, source)
    if set(verdicts) == {Verdict.OK}:
        right = f"{exercise.slug}: right. All {len(seen)} properties hold."
        grade = _grade(exercise, verdicts, [""] * len(seen), right, ())
        return replace(grade, left_out=left_out)
    once = exercise.own or Verdict.TIMEOUT in verdicts
    for draw in range(1 if once else MOST_SHOWN):
        told = replace(exercise, draw=draw)
        every = replace(told, probes=(*told.probes, *isolating(told)))
        public = asked(every, lambda probe: public_calls(told, probe))  # noqa: B023
        shown = show(sandbox, told, source, public, verdicts)
        if Verdict.GRADER_ERROR in [one.verdict for one in shown]:
            return _not_graded(exercise)
        if any(one.complaint for one in shown[: len(exercise.probes)]):
            break
    return replace(_explained(told, verdicts, shown), left_out=left_out)


def hidden_seed(secret: bytes, slug: str, identity: str, source: str) -> bytes:
    """Return the seed of a student's hidden inputs: it cannot be guessed, and it repeats."""
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    text = "\0".join((slug, identity, digest)).encode("utf-8", "surrogatepass")
    return hmac.digest(secret, text, "sha256")


def hidden_probes(exercise: Exercise, seed: bytes) -> list[Asked]:
    """Return every probe with its hidden inputs, and behind them more draws of small ones."""
    hidden = asked(exercise, lambda probe: _drawn(exercise, seed, probe))
    for draw in range(1, 1 if exercise.own else DRAWS):
        again = without_large(exercise, draw)
        hidden += asked(again, lambda probe: _drawn(exercise, seed, probe, draw))  # noqa: B023
    return hidden


def _drawn(exercise: Exercise, seed: bytes, probe: Probe, draw: int = 0) -> list[Call]:
    own = hmac.digest(seed, probe.name.encode(), "sha256")
    return drawn_calls(exercise, probe, own, draw)


# ---- what the student is told ---------------------------------------------------------------


def _explained(
    exercise: Exercise, verdicts: list[Verdict], shown: Sequence[Seen]
) -> AnswerGrade:
    """Return the grade of an answer that failed; what is told comes from public inputs only."""
    findings = []
    first = len(exercise.probes)
    for probe, verdict, one in zip(exercise.probes, verdicts, shown[:first], strict=True):
        told = "" if verdict == Verdict.OK else _told(exercise, probe, one)
        findings.append(Finding(probe, told, one.outcome))
    alone = zip(isolating(exercise), shown[first:], strict=True)
    isolated = tuple(Finding(probe, one.complaint, one.outcome) for probe, one in alone)
    report = Report(exercise, tuple(findings), isolated)
    complaints = [finding.complaint for finding in findings]
    message = printable(_with_untried(said_report(report), complaints))
    return _grade(exercise, verdicts, complaints, message, diagnose(report).mistakes)


def _told(exercise: Exercise, probe: Probe, one: Seen) -> str:
    """Return how a property fails; of a teacher's hidden one, in no word that an answer chose.

    An answer could write its inputs into an error's message, or into its name.
    """
    if probe.public or not exercise.own:
        return one.complaint or HIDDEN
    if one.verdict not in (Verdict.OK, Verdict.WRONG, Verdict.ERROR):
        return one.complaint
    error = one.outcome.error
    if error == TOO_SLOW:
        return SLOW
    if error and isinstance(getattr(builtins, error, None), type):
        return f"raised {error}" + f" (line {one.outcome.line} of your cell)" * (
            one.outcome.line > 0
        )
    return UNSHOWN


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
