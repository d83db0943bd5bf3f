"""Marks *Defend it*: one change in a student's right answer, and which properties fail then.

The student calls ``defend`` in a cell of the notebook, with a name and the number of a choice.
The question follows from the answer and the student's name, so it is asked here once more. The
answer is taken apart in the sandbox, and there the changed answer runs, on the inputs that
everybody can see. What cannot be decided so, a person asks.
"""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from attention_course.exercises.protocol import (
    Call,
    Change,
    Exercise,
    Finding,
    Question,
    Report,
    one_change,
    public_calls,
    question_of,
    readings,
    whose,
    without_large,
)
from course_grader.marking.graded import CodeGrade
from course_grader.marking.probing import Asked, asked, show_together
from course_grader.safe_text import one_line
from course_grader.sandbox.sandbox import Sandbox
from course_grader.submissions.assignment import DEFENCE, CodeItem
from course_grader.submissions.cells import read_file
from course_grader.verdicts import Verdict

_CELL = re.compile(r"# DEFEND ([a-z0-9-]+)[ \t]*\n(.*)", re.S)
LONGEST = 2000  # characters of such a cell; the one that is handed out has a hundred
_TAKES_APART = Path(one_change.__file__).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Defence:
    """What a student typed: a name, and the number of a choice from 1; 0 without a choice."""

    me: str = ""
    choice: int = 0


def defences(data: bytes) -> dict[str, Defence]:
    """Return what a submission, which was read before, holds of defences, by exercise."""
    found: dict[str, Defence] = {}
    for cell in read_file(data).cells:
        short = cell.kind == "code" and len(cell.source) <= LONGEST
        for one in readings(cell.source) if short else ():
            made = _CELL.fullmatch(one.source)
            if made and (calls := [*_calls(made[2])]):
                found[made[1]] = calls[-1]
                break
    return found


def _calls(source: str) -> Iterator[Defence]:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
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
    names: Sequence[str],
    defence: Defence | None,
) -> CodeGrade:
    """Return an answer's grade with the points of its defence, which only a right choice earns.

    The question is asked of whoever handed in, by the first of ``names`` or, where that was
    typed, by another.
    """
    if done.verdict != Verdict.OK:
        return _with(item, done, "is asked for where all properties hold")
    if defence is None or not defence.choice:
        return _with(item, done, "nothing was chosen")
    typed = next((name for name in names if whose(name) == whose(defence.me)), "")
    student = one_line(typed or names[0])
    question = asked_in(sandbox, exercise, source, typed or names[0])
    if isinstance(question, str):
        return _with(item, done, f"{question}; a person asks {student}", oral=True)
    change = f"in line {question.line} of {question.where} {question.what}"
    if not typed:
        as_whom = f"as {one_line(defence.me)}" if defence.me else "without a name"
        said = f"answered {as_whom}; a person asks {student}: {change}; right: {question.right}"
        return _with(item, done, said, oral=True)
    chosen = dict(enumerate(question.choices, start=1)).get(defence.choice, "nothing that is")
    holds = chosen == question.right
    verdict = "right" if holds else f"chosen: {chosen}; right"
    why = one_line(question.why, 1000)
    said = f"{student} was asked: {change}; {verdict}: {question.right}. {why}"
    return _with(item, done, said, holds=holds)


def asked_in(sandbox: Sandbox, exercise: Exercise, source: str, name: str) -> Question | str:
    """Return the question of a right answer and a name, or why there is none.

    All that is done with the answer is done in the sandbox, under its limits.
    """

    def changes(source: str, target: str, seed: str) -> list[Change]:
        call = Call("drawn_as_bytes", (source, target, seed), returns=("changes",))
        came = sandbox.observe(_TAKES_APART, [call]).outcome
        if came is None or came.error not in ("", "ValueError"):
            raise ValueError("its code takes too much time or memory to be taken apart")
        if came.error:
            raise ValueError(one_line(came.message))
        found = json.loads(np.asarray(came.values[0]).astype(np.uint8).tobytes())
        return [Change(**one) for one in found]

    probes: list[Asked] = []

    def examined(plain: Exercise, changed: str) -> Report | None:
        probes[:] = probes or asked(plain, lambda probe: public_calls(plain, probe))
        seen = show_together(sandbox, plain, changed, probes)
        pairs = zip(plain.probes, seen, strict=False)
        found = tuple(Finding(p, one.complaint, one.outcome) for p, one in pairs)
        return Report(plain, found) if seen else None

    return question_of(exercise, source, name, examined, changes)


def _with(
    item: CodeItem, done: CodeGrade, said: str, *, holds: bool = False, oral: bool = False
) -> CodeGrade:
    points = item.defend * holds
    part = {"points": points, "max": item.defend, "holds": holds, "asked": said, "oral": oral}
    return replace(
        done,
        points=done.points + points,
        max_points=done.max_points + item.defend,
        parts=done.parts | {DEFENCE: part},
        message=f"{done.message}\nThe defence: {said}.",
    )
