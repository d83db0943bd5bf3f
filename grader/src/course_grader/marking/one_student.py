"""Grades one student's submission: each answer in the sandbox, one after the other."""

import hashlib
import json
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Literal

from attention_course.exercises import protocol
from attention_course.exercises.protocol import Exercise, examine_source, said_report
from course_grader.marking.defence import defences, defended
from course_grader.marking.engine import AnswerGrade, grade_answer
from course_grader.marking.graded import CodeGrade, StudentGrade, WrittenAnswer
from course_grader.marking.totals import number
from course_grader.marking.whole import grade_whole
from course_grader.safe_text import one_line, printable
from course_grader.sandbox.limits import Limits
from course_grader.sandbox.sandbox import Sandbox
from course_grader.submissions.assignment import Assignment, CodeItem, WrittenItem
from course_grader.submissions.intake import Submission, bare, read_submission
from course_grader.submissions.notebook import student_notebook
from course_grader.submissions.teacher_exercise import TeacherError
from course_grader.verdicts import Verdict

# What is said of each exercise's stub.
_STUBS: dict[tuple[str, ...], str] = {}


@dataclass(frozen=True)
class Setup:
    """What all submissions of a class are graded with.

    Args:
        assignment: what was asked.
        secret: what the hidden inputs are drawn from.
        limits: what an answer may use.
        course: the fingerprint of the course, which must be the same wherever it is graded.
    """

    assignment: Assignment
    secret: bytes
    limits: Limits
    course: str


@dataclass(frozen=True)
class Job:
    """One submission to grade.

    Args:
        student: the student.
        data: the notebook.
        stored: where its copy lies, inside OUT.
        notes: what is known about the handing in.
        refused: why there is no notebook to read; the copy is then another file's.
        late_days: started days after the due time; None if no times are known.
        key: what the grade rests on, see :func:`key_of`.
        called: what the student is called, if that is known; a defence may be asked by it.
    """

    student: str
    data: bytes = b""
    stored: str = ""
    notes: tuple[str, ...] = ()
    refused: str = ""
    late_days: int | None = None
    key: str = ""
    called: str = ""


class Sandboxes:
    """A sandbox of each kind, started when it is first needed, closed at the end of a block."""

    def __init__(self, limits: Limits):
        self._limits, self._stack = limits, ExitStack()
        self._started: dict[str, Sandbox] = {}

    def of(self, uses: Literal["numpy", "torch"]) -> Sandbox:
        """Return the running sandbox that has what an exercise uses."""
        if uses not in self._started:
            sandbox = Sandbox(uses, limits=self._limits)
            self._started[uses] = self._stack.enter_context(sandbox)
        return self._started[uses]

    def __enter__(self) -> "Sandboxes":
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """End all that were started."""
        self._started.clear()
        self._stack.close()


def key_of(job: Job, setup: Setup) -> str:
    """Return the fingerprint of all that a grade rests on; while it stays, the grade does."""
    asked = setup.assignment
    rests = {
        "student": job.student,
        "submission": hashlib.sha256(job.data).hexdigest(),
        "refused": job.refused and [job.refused, job.stored],
        "notes": job.notes,
        "late": [job.late_days, asked.late_percent_per_day],
        "assignment": repr((asked.name, asked.title, asked.items, asked.seed)),
        "secret": hashlib.sha256(b"key" + setup.secret).hexdigest(),
        "limits": repr(setup.limits),
        "course": setup.course,
        "called": job.called if any(item.defend for item in asked.code) else "",
    }
    return hashlib.sha256(json.dumps(rests, sort_keys=True).encode()).hexdigest()


@cache
def course_digest() -> str:
    """Return the fingerprint of all that decides about points, of the course and in here."""
    found = hashlib.sha256(protocol.digest().encode())
    for name, content in own_files():
        found.update(name.encode() + b"\0" + content)
    return found.hexdigest()


def own_files() -> Iterator[tuple[str, bytes]]:
    """Yield the grader's own files of those kinds, by their names from the package on."""
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*")):
        if path.suffix in protocol.KINDS:
            yield path.relative_to(package.parent).as_posix(), path.read_bytes()


def grade_job(job: Job, setup: Setup, sandboxes: Sandboxes | None) -> StudentGrade:
    """Grade one submission; whatever goes wrong becomes a verdict, and no error leaves here.

    Without sandboxes it is only read: nothing of it runs, and its answers are not graded.
    """
    try:
        return _grade(job, setup, sandboxes)
    except TeacherError as error:
        return not_graded(job, setup, str(error))
    except Exception as error:
        traceback.print_exc()
        return not_graded(job, setup, f"{type(error).__name__}: {error}")


def not_graded(job: Job, setup: Setup, reason: str) -> StudentGrade:
    """Return the grade of a submission that the grader failed on: nothing is won or lost."""
    grade = _empty(job, setup, Verdict.GRADER_ERROR)
    return replace(grade, reason=one_line(reason))


def _grade(job: Job, setup: Setup, sandboxes: Sandboxes | None) -> StudentGrade:
    assignment = setup.assignment
    if job.refused:
        return replace(_empty(job, setup, Verdict.MALFORMED), reason=printable(job.refused))
    if not job.data.strip():
        return replace(_empty(job, setup, Verdict.MALFORMED), reason="the file is empty")
    submission = _read(job, assignment)
    if submission.verdict == Verdict.MALFORMED:
        grade = _empty(job, setup, Verdict.MALFORMED)
        return replace(
            grade, reason=printable(submission.reason), reading=list(submission.notes)
        )
    exercises, variants = assignment.exercises(job.student), assignment.variants(job.student)
    # What an exercise is asked in; another name was typed by the student.
    conventions = {item.slug: {"", *item.exercise.forms} for item in assignment.code}
    other = [
        slug
        for slug, variant in submission.variants.items()
        if variant != variants[slug] and variant in conventions[slug]
    ]
    if other:
        return not_graded(job, setup, _not_theirs(other[0], submission, variants))
    code, notes, chosen = list[CodeGrade](), list(submission.notes), defences(job.data)
    began = time.monotonic()
    for item in assignment.code:
        exercise, source = exercises[item.slug], submission.answers.get(item.slug, "")
        look = submission.looks.get(item.slug, "")
        absent = _unwritten(exercise, source)
        if absent:
            unread = printable(submission.unread.get(item.slug, ""))
            done = _without(item, exercise.title, Verdict.MISSING, variants, absent)
            done = replace(done, look=look, unread=bool(unread), answer=unread)
        elif not sandboxes:
            done = _without(item, exercise.title, Verdict.GRADER_ERROR, variants)
        else:
            assert exercise.uses != "triton"  # no assignment holds one
            sandbox = sandboxes.of(exercise.uses)
            # What the answers before it did not need is left for it, and never less.
            ends = began + setup.limits.hand_in_s * (len(code) + 1) / len(exercises)
            parts = {slug: exercises[slug] for slug in item.needs}
            lost = {c.slug: c.verdict for c in code if c.slug in parts and c.verdict != "OK"}
            graded = partial(_graded, sandbox, exercise, setup.secret, job.student, parts, lost)
            with sandbox.stopping(ends):
                found, said = graded(source)
                done = _scaled(item, exercise, found, source)
                done.message = "\n".join(filter(None, (printable(said), done.message)))
                if item.defend:
                    names, choice = [job.student, job.called], chosen.get(item.slug)
                    done = defended(sandbox, item, exercise, source, done, names, choice)
                notes += [f"{item.slug}: {x}; graded without that line" for x in found.left_out]
                if done.verdict != Verdict.OK:
                    rivals = submission.rivals.get(item.slug, {})
                    tried = {
                        place: graded(rival)[0] if rival != source else found
                        for place, rival in rivals.items()
                    }
                    earned = {n: item.scale * (one.points or 0) for n, one in tried.items()}
                    if max(earned.values(), default=0) > done.points:
                        done = _undecided(done, rivals, earned)
                    else:
                        done.look = look
        code.append(done)
    answers = [
        _written(item, submission.written.get(item.id, ""), submission.looks.get(item.id, ""))
        for item in assignment.written
    ]
    return replace(
        _empty(job, setup, _overall_verdict(code)),
        reason=printable(submission.reason),
        code=code,
        written=answers,
        reading=[printable(n, 1000) for n in notes],
    )


def _graded(
    sandbox: Sandbox,
    exercise: Exercise,
    secret: bytes,
    student: str,
    parts: Mapping[str, Exercise],
    lost: Mapping[str, str],
    source: str,
) -> tuple[AnswerGrade, str]:
    """Return the grade of an answer; of a whole also what is said of its parts."""

    def grade(text: str) -> AnswerGrade:
        return grade_answer(sandbox, exercise, text, secret, student)

    return grade_whole(grade, source, exercise, parts, lost) if parts else (grade(source), "")


def _undecided(
    done: CodeGrade, rivals: Mapping[int, str], earned: Mapping[int, float]
) -> CodeGrade:
    """Leave it to a person which of several cells counts, with what each of them earns."""
    said = ", ".join(f"as cell {place} it earns {number(x)}" for place, x in earned.items())
    look = f"several cells answer it: {said} of {number(done.max_points)}"
    pieces = [f"# cell {place}\n{printable(rival)}" for place, rival in rivals.items()]
    return replace(done, unread=True, look=look, answer="\n\n".join(pieces))


def _not_theirs(slug: str, submission: Submission, variants: dict[str, str]) -> str:
    """Return why a notebook with another variant than its student's is not graded."""
    return (
        f"the notebook asks for {slug} as {submission.variants[slug] or 'plain'!r}, and "
        f"this student's is {variants[slug] or 'plain'!r}: is the name the roster's? "
        "(see --students)"
    )


def _read(job: Job, assignment: Assignment) -> Submission:
    """Take a student's answers out of the notebook; what was handed out is no answer."""
    return read_submission(
        job.data,
        {item.slug: item.exercise.target for item in assignment.code},
        [item.id for item in assignment.written],
        student_notebook(assignment, job.student).encode(),
    )


def _overall_verdict(code: Sequence[CodeGrade]) -> Verdict:
    """Return one verdict for a submission: the grader's failure first."""
    verdicts = {item.verdict for item in code}
    if Verdict.GRADER_ERROR in verdicts:
        return Verdict.GRADER_ERROR
    if verdicts <= {Verdict.OK}:
        return Verdict.OK
    return Verdict.MISSING if verdicts <= {Verdict.OK, Verdict.MISSING} else Verdict.WRONG


def _scaled(item: CodeItem, exercise: Exercise, found: AnswerGrade, source: str) -> CodeGrade:
    """Return an answer's grade in the points of the assignment."""
    parts = {
        name: part | {key: item.scale * part[key] for key in ("points", "max")}
        for name, part in found.parts.items()
    }
    lost = [f["probe"] for f in found.findings if f["verdict"] != Verdict.OK]
    errors = [f["complaint"] for f in found.findings if f["verdict"] == Verdict.ERROR]
    verdict = found.verdict
    if found.message.startswith(f"{found.slug}: not written yet"):
        lost, verdict = [], Verdict.MISSING
    return CodeGrade(
        slug=item.slug,
        title=exercise.title,
        verdict=str(verdict),
        points=item.scale * (found.points or 0),
        max_points=item.scale * found.max_points,
        variant=exercise.variant,
        parts=parts,
        failed=lost,
        message=printable(found.message),
        misconception=found.misconception,
        hint=found.hint,
        answer=printable(source),
        error=one_line("".join(errors[:1])),
    )


def _without(
    item: CodeItem, title: str, verdict: Verdict, variants: dict[str, str], message: str = ""
) -> CodeGrade:
    """Return the grade of an answer that is not there, or not written."""
    return CodeGrade(
        slug=item.slug,
        title=title,
        verdict=str(verdict),
        points=0,
        max_points=item.points,
        variant=variants[item.slug],
        parts={n: {"points": 0, "max": p, "holds": False} for n, p in item.all_parts.items()},
        message=message,
    )


def _unwritten(exercise: Exercise, source: str) -> str:
    """Return what to say of an answer that is missing or still the stub; else an empty text.

    A stub that earns points, because it is to be repaired, is an answer like any other.
    """
    if not source.strip():
        return f"There is no cell that begins with {exercise.marker} and holds an answer."
    return _said_of_stub(exercise) if bare(source) == bare(exercise.stub) else ""


def _said_of_stub(exercise: Exercise) -> str:
    """Examine our own stub, once; return what is said of it if it is an empty one."""
    key = exercise.key
    if key not in _STUBS:
        report = examine_source(exercise, exercise.stub)
        text = said_report(report)
        empty = not report.points and text.startswith(f"{exercise.slug}: not written yet")
        _STUBS[key] = text if empty else ""
    return _STUBS[key]


def _written(item: WrittenItem, answer: str, look: str = "") -> WrittenAnswer:
    return WrittenAnswer(item.id, item.title, list(item.rubric), printable(answer), look)


def _empty(job: Job, setup: Setup, verdict: Verdict) -> StudentGrade:
    """Return a grade in which nothing is read yet."""
    assignment = setup.assignment
    exercises, variants = assignment.exercises(job.student), assignment.variants(job.student)
    titles = {slug: exercise.title for slug, exercise in exercises.items()}
    return StudentGrade(
        student=job.student,
        assignment=assignment.name,
        title=assignment.title,
        key=job.key,
        verdict=str(verdict),
        submission=job.stored,
        code=[_without(i, titles[i.slug], verdict, variants) for i in assignment.code],
        written=[replace(_written(item, ""), unread=True) for item in assignment.written],
        late_days=job.late_days,
        late_percent_per_day=assignment.late_percent_per_day,
        notes=list(job.notes),
    )
