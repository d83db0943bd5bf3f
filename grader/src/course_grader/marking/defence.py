"""Marks *Defend it*: one change in a student's right answer, and which property fails first.

The student calls ``defend`` in a cell of the notebook, with a name and the number of a choice.
The question follows from the answer and the name, so it is asked here once more; the changed
answer runs in the sandbox, on the inputs that everybody can see, and says what is right.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from attention_course.exercises.protocol import (
    Exercise,
    Finding,
    Question,
    Report,
    public_calls,
    question_of,
    readings,
)
from course_grader.marking.graded import CodeGrade
from course_grader.marking.probing import asked, show
from course_grader.safe_text import one_line
from course_grader.sandbox.sandbox import Sandbox
from course_grader.submissions.assignment import DEFENCE, CodeItem
from course_grader.submissions.cells import read_file
from course_grader.verdicts import Verdict

_CELL = re.compile(r"# DEFEND ([a-z0-9-]+)[ \t]*\n(.*)", re.S)


@dataclass(frozen=True)
class Defence:
    """What a student chose: the name that the question belongs to, and a number from 1."""

    me: str
    choice: int


def defences(data: bytes) -> dict[str, Defence]:
    """Return what a submission, which was read before, holds of defences, by exercise."""
    found: dict[str, Defence] = {}
    for cell in read_file(data).cells:
        for one in readings(cell.source) if cell.kind == "code" else ():
            made = _CELL.fullmatch(one.source)
            if made and (calls := [*_calls(made[2])]):
                found[made[1]] = calls[-1]
                break
    return found


def _calls(source: str) -> Iterator[Defence]:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "defend":
            given = {
                one.arg: one.value.value
                for one in node.keywords
                if isinstance(one.value, ast.Constant)
            }
            me, choice = given.get("me", ""), given.get("choice", 0)
            if isinstance(me, str) and type(choice) is int:
                yield Defence(me.strip(), choice)


def defended(
    sandbox: Sandbox,
    item: CodeItem,
    exercise: Exercise,
    source: str,
    done: CodeGrade,
    defence: Defence | None,
) -> CodeGrade:
    """Return an answer's grade with the points of its defence.

    They are had by the right choice, and without one where no change that was tried fails a
    property; there is nothing to defend in an answer that is not right.
    """
    if done.verdict != Verdict.OK:
        return _with(item, done, False, "is asked for where all properties hold")
    if defence is None or not defence.me:
        return _with(item, done, False, "says no name")

    def examined(plain: Exercise, changed: str) -> Report:
        probes = asked(plain, lambda probe: public_calls(plain, probe))
        seen = show(sandbox, plain, changed, probes, ())
        pairs = zip(plain.probes, seen, strict=True)
        return Report(plain, tuple(Finding(p, one.complaint, one.outcome) for p, one in pairs))

    question = question_of(exercise, source, defence.me, examined)
    if question is None:
        return _with(item, done, True, "no change that was tried fails a property")
    return _with(item, done, *_judged(question, defence))


def _judged(question: Question, defence: Defence) -> tuple[bool, str]:
    """Return whether the choice is right, and what is said of it."""
    change = f"asked as {one_line(defence.me)}: in line {question.line} {question.what}"
    if not 1 <= defence.choice <= len(question.choices):
        return False, f"{change}; nothing was chosen"
    chosen = question.choices[defence.choice - 1]
    if chosen == question.right:
        return True, f"{change}; right: {chosen}"
    return False, f"{change}; chosen: {chosen}; right: {question.right}"


def _with(item: CodeItem, done: CodeGrade, holds: bool, said: str) -> CodeGrade:
    points = item.defend * holds
    part = {"points": points, "max": item.defend, "holds": holds}
    return replace(
        done,
        points=done.points + points,
        max_points=done.max_points + item.defend,
        parts=done.parts | {DEFENCE: part},
        message=f"{done.message}\nThe defence: {said}.",
    )
