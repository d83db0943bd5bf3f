"""Writes one page a student: what was reached, what failed and where to look.

A page is static and stands alone: no script, nothing fetched, everything that came from the
student made plain and escaped. It says nothing of hidden inputs.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from course_grader.marking.graded import Book, CodeGrade, StudentGrade, WrittenAnswer, safe_name
from course_grader.marking.totals import Marks, by_hand, given_for, holding, number, total
from course_grader.reports.pages import rendered
from course_grader.tables import write
from course_grader.verdicts import Verdict

# The lines that offer what only a notebook can give.
_OFFER = re.compile(r'(?:hint|ac\.failing_case)\("[^"]*"\) .*')
ONLY = (
    "Of other cells, imports, functions, classes and constants are taken along; lists and "
    "arrays are not."
)


def write_feedback(book: Book) -> list[Path]:
    """Write the pages of all graded students and return their paths.

    Raises:
        ValueError: if nothing is graded in this folder.
    """
    grades, marks, names = book.graded(), book.marks(), book.names()
    paths = []
    for grade in grades:
        path = book.folder / "feedback" / f"{safe_name(grade.student)}.html"
        write(path, page(grade, marks.get(grade.student, {}), names.get(grade.student, "")))
        paths.append(path)
    return paths


def page(grade: StudentGrade, marks: Marks | None = None, name: str = "") -> str:
    """Return a student's page; ``name`` is what the student is called, if that is known."""
    marks = marks or {}
    meanings = {verdict.value: _sentence(verdict.meaning) for verdict in Verdict}
    return rendered(
        "feedback.html",
        grade=grade,
        who=f"{name} ({grade.student})" if name not in ("", grade.student) else grade.student,
        sums=total(grade, marks),
        marks=marks,
        meaning=lambda verdict: meanings.get(verdict, verdict),
        sentence=_sentence,
        told=told,
        reached=_reached,
        holding=holding,
        by_hand=by_hand,
        ONLY=ONLY,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def told(item: CodeGrade) -> str:
    """Return the message without what has its own place here or a notebook only.

    The mistake is told beside it, and on a page nobody can call for a hint.
    """
    kept, inside = [], False
    for line in item.message.splitlines():
        if _OFFER.fullmatch(line):
            inside = False
            continue
        begins = bool(item.misconception) and line.startswith(
            ("This is what", "Part of this is what")
        )
        inside = begins or (inside and not line.startswith(("  ", "Right in every")))
        kept += [] if inside else [line]
    return "\n".join(kept)


def _reached(item: WrittenAnswer, given: Mapping[str, Any]) -> str:
    """Return the points of a written answer, or a dash while nothing of it is marked."""
    marks = given_for(item, given)
    waits = item.unread or item.answer.strip()
    return "–" if waits and not marks else number(sum(marks))
