"""Writes one page a student: what was reached, what failed and where to look.

A page stands alone: nothing is fetched or sent, everything that came from the student is made
plain and escaped. Its one script makes an objection into a file or a mail. It says nothing of
hidden inputs.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from course_grader.marking.graded import (
    Book,
    CodeGrade,
    StudentGrade,
    WrittenAnswer,
    digest_of,
    safe_name,
)
from course_grader.marking.objections import asking, objections_of
from course_grader.marking.totals import Marks, by_hand, given_for, holding, number, total
from course_grader.reports.pages import rendered, script
from course_grader.safe_text import printable
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
    paths = []
    for student, text in pages_of(book).items():
        paths.append(book.folder / "feedback" / f"{safe_name(student)}.html")
        write(paths[-1], text)
    return paths


def pages_of(book: Book) -> dict[str, str]:
    """Return the page of each student who is graded."""
    marks, names, kept = book.marks(), book.names(), book.store.kept()
    return {
        grade.student: page(
            grade,
            marks.get(grade.student, {}),
            names.get(grade.student, ""),
            objections_of(kept, grade),
        )
        for grade in book.graded()
    }


def page(
    grade: StudentGrade,
    marks: Marks | None = None,
    name: str = "",
    objections: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> str:
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
        told=mistake_text,
        reached=_reached,
        holding=holding,
        by_hand=by_hand,
        objections=objections,
        asking=asking,
        pieces=pieces,
        ONLY=ONLY,
        **script("feedback.js"),
    )


def pieces(item: CodeGrade | WrittenAnswer, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return an answer in pieces, each with what is said at its last line."""
    of = digest_of(item.answer)
    every = [mark.get("lines", {}) for mark in given.values() if mark.get("answer") == of]
    said = {int(at): words for lines in every for at, words in lines.items()}
    found, words = [("", "")], 0
    for line in printable(item.answer).splitlines(keepends=True):
        words += len(line.split())
        found[-1] = found[-1][0] + line, said.pop(words, "")
        found += [("", "")] if found[-1][1] else []
    return found


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def mistake_text(item: CodeGrade) -> str:
    """Return the message without what has its own place here or a notebook only.

    The mistake is named beside it, since a page cannot be asked for a hint.
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
