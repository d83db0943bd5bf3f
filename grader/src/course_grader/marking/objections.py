"""Objections to marks: asked from a student's page, read as a stranger's files, kept once.

A page gives each question a code that no other page has. So a file that names somebody else,
another class or an earlier grading is known.
"""

import hmac
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from course_grader.marking.graded import Book, StudentGrade, WrittenAnswer
from course_grader.marking.store import OBJECTION, Flat
from course_grader.safe_text import one_line, printable

MOST_BYTES, MOST_WORDS = 20_000, 2_000
_ASKED = re.compile(
    r"assignment: (.*)\n[> ]*student: (.*)\n[> ]*item: (.*)\n[> ]*code: ([0-9a-f]{32})\s*\n"
    r"([\s\S]*)"
)


def asking(grade: StudentGrade, item: str) -> str:
    """Return the lines with which an objection begins."""
    named = [grade.assignment, grade.student, item, _code(grade, item)]
    lines = zip(("assignment", "student", "item", "code"), map(one_line, named), strict=True)
    return "\n".join(["Objection to a mark", *(f"{name}: {value}" for name, value in lines)])


def take(book: Book, grades: Iterable[StudentGrade], who: str) -> list[str]:
    """Take the files in the folder ``objections`` over; return which are refused, and why."""
    owners = {_code(g, item.id): (g, item) for g in grades for item in g.markable}
    refused = []
    with book.store.changing(who, OBJECTION) as kept:
        for path in sorted((book.folder / "objections").glob("[!.]*")):
            try:
                _take(path, owners, kept)
            except ValueError as error:
                refused.append(f"{one_line(path.name)}: {error}")
    return refused


def objections_of(kept: Flat, grade: StudentGrade) -> dict[str, Mapping[str, Any]]:
    """Return a student's objections to what is graded now, by item."""
    now = {item.id: item.digest for item in grade.markable}
    return {
        place[2]: one
        for place, one in kept.items()
        if place[:2] == (OBJECTION, grade.student) and one["answer"] == now.get(place[2])
    }


def _code(grade: StudentGrade, item: str) -> str:
    """Return what only this student's page can know: the grade's key rests on the secret."""
    named = json.dumps([grade.assignment, grade.student, item]).encode()
    return hmac.digest(grade.key.encode(), named, "sha256").hex()[:32]


def _take(
    path: Path, owners: Mapping[str, tuple[StudentGrade, WrittenAnswer]], kept: Flat
) -> None:
    if path.is_symlink() or not path.is_file():
        raise ValueError("an objection must be a file")
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"an objection must have at most {MOST_BYTES} bytes")
    try:
        found = _ASKED.search(printable(data.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise ValueError("an objection must be text in UTF-8") from error
    if not found:
        raise ValueError(
            "the lines assignment, student, item, code of the page must stand in it"
        )
    *named, code, words = (one.strip() for one in found.groups())
    if code not in owners:
        raise ValueError(
            "its code is of no mark that stands: it is of another class or an earlier grading, "
            "or was changed; have it asked again from the newest page"
        )
    if re.search("^> ?code: ", found[0], re.MULTILINE):  # a mail's quotation
        words = re.sub("^> ?", "", words, flags=re.MULTILINE).strip()
    grade, item = owners[code]
    if named != [one_line(one) for one in (grade.assignment, grade.student, item.id)]:
        raise ValueError(f"it names {', '.join(named)}, but its code is of another page")
    if not 0 < len(words) <= MOST_WORDS:
        raise ValueError(
            f"it must have 1 to {MOST_WORDS} characters of words, got {len(words)}"
        )
    place = OBJECTION, grade.student, item.id, ""
    there = kept.get(place)
    if not there or there["answer"] != item.digest:
        kept[place] = {"mark": 0, "comment": words, "answer": item.digest}
    elif there["comment"] != words:
        state = "is decided, and that is once" if "reply" in there else "is not decided yet"
        raise ValueError(f"an earlier one of {one_line(grade.student)} to {item.id} {state}")
