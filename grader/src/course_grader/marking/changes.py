"""Says what changed between two grades of a student."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from course_grader.marking.graded import StudentGrade
from course_grader.marking.totals import Marks, by_hand, given_for, number
from course_grader.safe_text import cell, one_line

COLUMNS = ("student", "item", "before", "after")
MOST_SAID = 40


@dataclass(frozen=True)
class Change:
    """One thing that changed: before and after in words or points."""

    student: str
    item: str
    before: str
    after: str


def changes(before: StudentGrade, after: StudentGrade, marks: Marks) -> list[Change]:
    """Return what changed for a student: verdict, points, lateness, written answers."""
    old, new = _facts(before, marks), _facts(after, marks)
    if before.late_days is None and not after.late_days:  # in time, as far as was known
        old["days late"] = new["days late"]
    names = [*new, *(name for name in old if name not in new)]
    found = [
        Change(after.student, name, old.get(name, "not asked"), new.get(name, "not asked"))
        for name in names
        if old.get(name) != new.get(name)
    ]
    return found + list(_outgrown(before, after, marks))


def _outgrown(before: StudentGrade, after: StudentGrade, marks: Marks) -> Iterator[Change]:
    """Yield the marks that were full before, and are not under a criterion's new maximum."""
    gave = {(item.id, name): most for item in before.written for name, most in item.criteria}
    for item in after.written:
        for name, most in item.criteria:
            mark, full = marks.get(item.id, {}).get(name), gave.get((item.id, name), most)
            if mark and full < most and mark["mark"] == full:
                was = f"{number(full)} of {number(full)}, full marks"
                now = f"{number(full)} of {number(most)}"
                yield Change(after.student, f"{item.id}, {one_line(name)}", was, now)


def _facts(grade: StudentGrade, marks: Marks) -> dict[str, str]:
    facts = {"verdict": grade.verdict}
    for item in grade.code:
        mark = by_hand(item, marks.get(item.slug, {}))
        points = "not graded," if item.unread else number(item.points)
        points = f"{number(mark['mark'])} by hand" if mark else points
        facts[item.slug] = f"{points} of {number(item.max_points)}, {item.verdict}"
    for asked in grade.written:
        reached = given_for(asked, marks.get(asked.id, {}))
        there = asked.answer.strip()
        points = number(sum(reached)) if reached or not there else "not marked,"
        state = f"an answer ({asked.digest[:8]})" if there else "no answer"
        facts[asked.id] = f"{points} of {number(asked.max_points)}, {state}"
    days = "not known" if grade.late_days is None else number(grade.late_days)
    facts["days late"] = f"{days}, {number(grade.late_percent)} %"
    return facts


def as_rows(found: Sequence[Change]) -> list[list[str]]:
    """Return changes as the rows of a table, with its head, safe for a spreadsheet."""
    rows = [[cell(c.student), cell(c.item), cell(c.before), cell(c.after)] for c in found]
    return [list(COLUMNS), *rows]


def changes_report(found: Sequence[Change]) -> str:
    """Return changes in words, a line each; of a whole class's the first."""
    if not found:
        return "No grade changed."
    students = len({change.student for change in found})
    lines = [f"{students} {'grade' if students == 1 else 'grades'} changed:"]
    lines += [
        f"  {one_line(c.student, 40)}, {c.item}: {c.before} -> {c.after}"
        for c in found[:MOST_SAID]
    ]
    if (more := len(found) - MOST_SAID) > 0:
        lines.append(f"  and {more} {'change' if more == 1 else 'changes'} more: changes.csv")
    return "\n".join(lines)
