"""Says what changed between two grades of a student."""

from collections.abc import Sequence
from dataclasses import dataclass

from attention_course.grading.graded import StudentGrade
from attention_course.grading.plain import cell, one_line
from attention_course.grading.totals import number

COLUMNS = ("student", "item", "before", "after")


@dataclass(frozen=True)
class Change:
    """One thing that changed: before and after in words or points."""

    student: str
    item: str
    before: str
    after: str


def changes(before: StudentGrade, after: StudentGrade) -> list[Change]:
    """Return what changed for a student: verdict, points, lateness, written answers.

    Args:
        before: the grade that stood.
        after: the grade that stands now.
    """
    old, new = _facts(before), _facts(after)
    names = [*new, *(name for name in old if name not in new)]
    return [
        Change(after.student, name, old.get(name, "not asked"), new.get(name, "not asked"))
        for name in names
        if old.get(name) != new.get(name)
    ]


def _facts(grade: StudentGrade) -> dict[str, str]:
    facts = {"verdict": grade.verdict}
    for item in grade.code:
        points = f"{number(item.points)} of {number(item.max_points)}"
        facts[item.slug] = f"{points}, {item.verdict}"
    for asked in grade.written:
        state = f"an answer ({asked.digest[:8]})" if asked.answer.strip() else "no answer"
        facts[asked.id] = f"{state}, {number(asked.max_points)} points"
    days = "not known" if grade.late_days is None else number(grade.late_days)
    facts["days late"] = f"{days}, {number(grade.late_percent)} %"
    return facts


def as_rows(found: Sequence[Change]) -> list[list[str]]:
    """Return changes as the rows of a table, with its head, safe for a spreadsheet."""
    rows = [[cell(c.student), cell(c.item), cell(c.before), cell(c.after)] for c in found]
    return [list(COLUMNS), *rows]


def said(found: Sequence[Change]) -> str:
    """Return changes in words, a line each."""
    if not found:
        return "No grade changed."
    students = len({change.student for change in found})
    lines = [f"{students} {'grade' if students == 1 else 'grades'} changed:"]
    lines += [f"  {one_line(c.student, 40)}, {c.item}: {c.before} -> {c.after}" for c in found]
    return "\n".join(lines)
