"""Adds up what a student reached: code, marks of the written answers, lateness."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course_grader.marking.graded import (
    BY_HAND,
    CodeGrade,
    StudentGrade,
    WrittenAnswer,
    digest_of,
)

# A teacher's marks of one student, by item and criterion.
Marks = Mapping[str, Mapping[str, Any]]
OUTGROWN = "the mark was full, and more can be given now"


@dataclass(frozen=True)
class Total:
    """A student's sum.

    ``points`` is the final number; ``late`` what lateness took from it; ``unmarked`` the
    written answers' points not yet marked; ``ungraded`` the code's points that the
    grader could not decide, and which are not yet marked by hand.
    """

    points: float
    max_points: float
    late: float
    unmarked: float
    ungraded: float

    @property
    def final(self) -> bool:
        """Whether nothing is unread or unmarked."""
        return not (self.unmarked or self.ungraded)

    def __str__(self) -> str:
        """Return the sum with what it waits for: ``13 of 23, and 4 not marked yet``."""
        kinds = {"not graded": self.ungraded, "not marked": self.unmarked}
        waits = " and ".join(f"{number(n)} {kind}" for kind, n in kinds.items() if n)
        said = f"{number(self.points)} of {number(self.max_points)}"
        return f"{said}, and {waits} yet" if waits else said


def total(grade: StudentGrade, marks: Marks) -> Total:
    """Return a student's sum.

    Lateness takes its percentage of the points reached, so that it never takes more than
    there are. An empty written answer has no points to wait for; what could not be read has,
    until a person has marked it.
    """
    reached = 0.0
    for one in (one for one in grade.code if not one.unread):
        mark = overruled(one, marks.get(one.slug, {}))
        reached += mark["mark"] if mark else one.points
    code = {item.slug for item in grade.code}
    unmarked = ungraded = 0.0
    for item in grade.by_hand:
        given = marks.get(item.id, {})
        reached += sum(given_for(item, given))
        if item.answer.strip():
            waits = sum(points for name, points in item.criteria if name not in given)
            ungraded += waits if item.id in code else 0
            unmarked += 0 if item.id in code else waits
    late = round(reached * grade.late_percent / 100, 2)
    return Total(round(reached - late, 2), grade.max_points, late, unmarked, ungraded)


def given_for(item: WrittenAnswer, given: Mapping[str, Any]) -> list[float]:
    """Return the marks that an answer has, in the order of its criteria."""
    given = holding(item, given)
    return [given[name]["mark"] for name, _ in item.criteria if name in given]


def holding(item: WrittenAnswer, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the marks that hold: no answer has none that was given for another text."""
    if item.unread or item.answer.strip():
        return given
    return {n: m for n, m in given.items() if m.get("answer", item.digest) == item.digest}


def points_of(grade: StudentGrade, marks: Marks) -> dict[str, float | None]:
    """Return a student's points of each item; None where they are not yet known."""
    points: dict[str, float | None] = {}
    for one in grade.code:
        mark = overruled(one, marks.get(one.slug, {}))
        points[one.slug] = mark["mark"] if mark else one.points
    for item in grade.by_hand:
        reached = given_for(item, marks.get(item.id, {}))
        whole = len(reached) == len(item.criteria) or not item.answer.strip()
        points[item.id] = sum(reached) if whole else None
    return points


def overruled(item: CodeGrade, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the mark that a person gave a graded answer, in the place of the grader's points.

    One that was given for another answer, or while nothing could be read, does not count.
    """
    mark: Mapping[str, Any] | None = given.get(BY_HAND)
    if not mark or item.unread or mark.get("answer") != digest_of(item.answer):
        return None
    return mark if mark["mark"] <= item.max_points else None


def by_hand(item: CodeGrade, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the mark that a person gave an answer in code, graded or not."""
    return given.get(BY_HAND) if item.unread else overruled(item, given)


def outdated(grade: StudentGrade, marks: Marks) -> list[str]:
    """Return the written items whose answer is not the one that was marked."""
    return [
        item.id
        for item in grade.by_hand
        if any(m.get("answer") != item.digest for m in marks.get(item.id, {}).values())
    ]


def unfit(grade: StudentGrade, marks: Marks) -> list[tuple[str, str]]:
    """Return the items and criteria of marks that the assignment has no place for any more.

    Such a mark is kept and counts nothing, or is above what its criterion can give.
    """
    asked = {(item.id, name): most for item in grade.by_hand for name, most in item.criteria}
    asked |= {
        (item.slug, BY_HAND): item.max_points
        for item in grade.code
        if overruled(item, marks.get(item.slug, {}))
    }
    return [
        (item, name)
        for item, given in marks.items()
        for name, mark in given.items()
        if not mark["mark"] <= asked.get((item, name), -1)
    ]


def outgrown(grade: StudentGrade, marks: Marks) -> list[tuple[str, str]]:
    """Return the items and criteria of marks that were full when they were given.

    Since then the criterion's maximum was raised, and it has not been marked anew.
    """
    return [
        (item.id, name)
        for item in grade.by_hand
        for name, most in item.criteria
        if (mark := marks.get(item.id, {}).get(name))
        and mark["mark"] == mark.get("of", most) < most
    ]


def number(value: float) -> str:
    """Return a number of points without needless digits.

    >>> number(3.0), number(2.5), number(0.1 + 0.2)
    ('3', '2.5', '0.3')
    """
    return f"{round(float(value), 2):.10g}"
