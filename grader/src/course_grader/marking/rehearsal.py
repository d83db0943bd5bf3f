"""Rehearses a teacher's own exercise before students get it: what its probes catch.

All of it happens in a process of its own, with little memory and no patience: whatever the file
does there, the teacher reads one line about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic, thread_time

import numpy as np

from attention_course.exercises.protocol import (
    Call,
    Exercise,
    Outcome,
    Probe,
    examine_source,
    finding_of,
    generator,
    judge,
    observe,
    one_change,
    pack_calls,
    public_calls,
    said_error,
    trial_of,
)
from course_grader.submissions.teacher_exercise import (
    Say,
    TeacherError,
    TeacherExercise,
    in_child,
)

MOST_INPUT = 64 << 20
# So long mistakes are tried, and so many.
BUDGET_S, MOST_MISTAKES = 120.0, 120
# A student's answer may compute four times as long.
SOLUTION_S = 1.0
# Grading draws inputs anew; so often is that tried here.
DRAWS = 4


@dataclass(frozen=True)
class Answer:
    """What an answer that the teacher gave earns, and the first property that it fails."""

    what: str
    points: int
    fails: str = ""


@dataclass(frozen=True)
class Made:
    """A mistake made from the solution, and the property that caught it."""

    line: int
    what: str
    before: str
    after: str
    caught: str


@dataclass
class Rehearsal:
    """Result of checking a teacher's exercise against its own solution.

    Args:
        slug: the exercise.
        points: what can be earned.
        properties: how many there are.
        public: the names of those that students can see.
        answers: solution, stub, wrong and odd answers.
        problems: what must be mended.
        made: mistakes made from the solution.
        untried: how many more there are, for which there was no time.
    """

    slug: str
    points: int
    properties: int
    public: list[str]
    answers: list[Answer] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    made: list[Made] = field(default_factory=list)
    untried: int = 0


def rehearsed(own: TeacherExercise, *, with_mistakes: bool = False) -> Rehearsal:
    """Try an exercise, in a process of its own; make mistakes from the solution if asked to.

    Raises:
        TeacherError: if the file cannot be used: names it, the line and what is wrong.
    """
    return in_child(own, _tried, with_mistakes)


def require_sound(own: TeacherExercise) -> None:
    """Raise an error if an exercise cannot be handed out.

    Raises:
        TeacherError: and says what is to be mended.
    """
    problems = rehearsed(own).problems
    if problems:
        raise TeacherError(problems[0])


# ---- in the other process -------------------------------------------------------------------


def _tried(own: TeacherExercise, say: Say, with_mistakes: bool) -> Rehearsal:
    exercise, again = own.anew(), own.anew()
    public = [probe.name for probe in exercise.probes if probe.public]
    most = sum(exercise.points.values())
    found = Rehearsal(exercise.slug, most, len(exercise.probes), public)
    for form in ("", *exercise.forms):
        asked = exercise.varied(form)
        _draw(own, asked, again.varied(form), say)
        _solve(own, asked, say)
        found.answers.append(Answer(f"your solution{_as(asked)}", most))
        _try_given(own, asked, found, say)
    if with_mistakes and not found.problems:
        _try_made(own, exercise, found, say)
    return found


def _as(exercise: Exercise) -> str:
    return f" as {exercise.variant}" if exercise.variant else ""


def _draw(own: TeacherExercise, exercise: Exercise, again: Exercise, say: Say) -> None:
    """Make sure that every probe draws calls that can be handed on, and the same ones again."""
    for probe, twin in zip(exercise.probes, again.probes, strict=True):
        say(f"draws inputs for {probe.name!r}")
        what = f"the probe {probe.name!r}{_as(exercise)}"
        calls = public_calls(exercise, probe)
        with own.running(what):
            if not any(call.returns for call in calls):
                raise TypeError("a Call must name what it returns, like returns=('weights',)")
            first, second = pack_calls(calls), pack_calls(public_calls(exercise, twin))
        if len(first) > MOST_INPUT:
            size = f"{len(first) >> 20} MiB of inputs, may draw {MOST_INPUT >> 20}"
            raise TeacherError(f"{own.file}: {what} draws {size}")
        if first != second:
            raise TeacherError(
                f"{own.file}: {what} draws other inputs each time it is asked: take all that "
                "is random from its rng"
            )


def _solve(own: TeacherExercise, exercise: Exercise, say: Say) -> None:
    """Make sure that the solution passes every probe, on several draws, and in time."""
    defined = _loaded(own, exercise, exercise.solution, "solution")
    for probe in exercise.probes:
        for draw in range(1 if probe.large else DRAWS):
            say(f"runs the solution on {probe.name!r}")
            names = ("rehearsal", str(draw)) if draw else ("public", exercise.slug)
            calls = list(probe.calls(generator(*names, probe.name)))
            complaint, line = _solves(exercise, probe, defined, calls)
            if complaint:
                where = own.place_of(exercise.solution, line)
                what = f"the solution{_as(exercise)} fails {probe.name!r}"
                raise TeacherError(f"{where}: {what}: {complaint}")


def _solves(
    exercise: Exercise, probe: Probe, defined: dict[str, object], calls: Sequence[Call]
) -> tuple[str, int]:
    """Return what is wrong with the solution, and in which of its lines, if that is known."""
    began = thread_time()
    first = observe(exercise, probe, defined, calls)
    took = thread_time() - began
    if first.error:
        return said_error(exercise, _without_line(first)), first.line
    if took > SOLUTION_S:
        return f"it computes for {took:.1f} s, may for {SOLUTION_S:.0f}; use smaller inputs", 0
    if first.state:
        return f"it changes {first.state[0]}, which no answer should", 0
    with np.errstate(all="ignore"):
        return judge(exercise, probe, first, observe(exercise, probe, defined, calls)), 0


def _without_line(outcome: Outcome) -> Outcome:
    """Return an outcome without the line, which is told in the file's own numbers."""
    return Outcome(error=outcome.error, message=outcome.message)


def _loaded(
    own: TeacherExercise, exercise: Exercise, source: str, what: str
) -> dict[str, object]:
    """Return what a piece of code defines.

    Raises:
        TeacherError: if it cannot be run, or does not define what is asked for.
    """
    defined = trial_of(exercise, source, lenient=False)
    if isinstance(defined, Outcome):
        why = said_error(exercise, _without_line(defined))
        raise TeacherError(f"{own.place_of(source, defined.line)}: the {what} {why}")
    if exercise.target not in defined:
        raise TeacherError(
            f"{own.place_of(source, 1)}: the {what} must define {exercise.target}"
        )
    return defined


def _try_given(own: TeacherExercise, exercise: Exercise, found: Rehearsal, say: Say) -> None:
    """See what the stub, and the wrong and odd answers, earn."""
    _loaded(own, exercise, exercise.stub, "stub")
    kind = _as(exercise)
    given = [(f"your stub{kind}", exercise.stub, False)]
    for known, word in ((exercise.wrong, "wrong"), (exercise.right, "right")):
        given += [
            (f"{word}{kind}: {one.name}", exercise.source_of(one), word == "right")
            for one in known
        ]
    for what, source, right in given:
        say(f"tries {what!r}")
        report = examine_source(exercise, source)
        failed = report.failed[0] if report.failed else None
        found.answers.append(Answer(what, report.points, failed.probe.name if failed else ""))
        if right and failed:
            lost = f"{own.file}: {what!r} must earn everything, fails {failed.probe.name!r}"
            found.problems.append(f"{lost}: {failed.complaint}; which of the two is right?")
        elif not right and not failed:
            found.problems.append(
                f"{own.file}: {what!r} earns everything: no probe shows what is wrong with it"
            )


def _try_made(own: TeacherExercise, exercise: Exercise, found: Rehearsal, say: Say) -> None:
    """See which mistakes made from the solution are caught; public probes come first."""
    probes = sorted(exercise.probes, key=lambda probe: (not probe.public, probe.large))
    solution = exercise.solution
    every = one_change.every(solution, exercise.target)
    step, ends = -(-len(every) // MOST_MISTAKES) or 1, monotonic() + BUDGET_S
    for change in every[::step]:
        if monotonic() > ends:
            break
        line = solution.encode()[: change.start].count(b"\n") + 1
        say(f"tries a mistake made in line {line} of the solution")
        before, after = (text.strip() for text in change.shown(solution))
        caught = _caught_by(exercise, probes, change.made(solution))
        place = own.line_of(solution, line) or line
        found.made.append(Made(place, change.what, before, after, caught))
    found.untried = len(every) - len(found.made)


def _caught_by(exercise: Exercise, probes: Sequence[Probe], source: str) -> str:
    defined, charged = trial_of(exercise, source), set[str]()
    caught = (p.name for p in probes if finding_of(exercise, p, defined, charged).complaint)
    return next(caught, "")
