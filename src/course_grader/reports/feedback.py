"""Writes one page a student: what was reached, what failed and where to look.

A page is static and stands alone: no script, nothing fetched, everything that came from the
student made plain and escaped. It says nothing of hidden inputs.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attention_course.exercises import exercise_named
from course_grader.marking.graded import (
    BY_HAND,
    Book,
    CodeGrade,
    StudentGrade,
    WrittenAnswer,
    safe_name,
    write,
)
from course_grader.marking.totals import number, total
from course_grader.reports.pages import rendered

# The line that offers a hint, which only a notebook can give.
_HINT = re.compile(r'hint\("[^"]*"\) opens a hint\.')
ONLY = "Only the marked cell is examined; what it needs must stand in it."
# What a verdict means to the student whose answer got it.
MEANING = {
    "OK": "All properties hold.",
    "WRONG": "Some properties do not hold.",
    "ERROR": "The answer stopped with an error.",
    "TIMEOUT": "The answer took longer than its time limit.",
    "MEMORY": "The answer asked for more memory than it may have.",
    "OUTPUT": "The answer printed or returned more than it may.",
    "DIED": "The answer ended the Python it ran in.",
    "PROTOCOL": "The answer disturbed the conversation with the grader.",
    "MALFORMED": "The file could not be read as a notebook.",
    "TAMPERED": "The assignment's own cells were changed; only the answers were graded.",
    "MISSING": "There is no answer.",
    "GRADER_ERROR": "Something went wrong on the grader's side. This is not your fault and "
    "counts as not graded yet.",
}


def register(subparsers: Any) -> None:
    """Add the subcommand ``feedback``."""
    parser = subparsers.add_parser("feedback", help="write one page a student")
    parser.add_argument("out", type=Path, help="the folder that grade wrote into")
    parser.set_defaults(run=run)


def run(args: Any) -> int:
    """Write the pages of a class and say where they are."""
    pages = write_feedback(Book(args.out))
    print(f"{len(pages)} pages in {args.out / 'feedback'}")
    return 0


def write_feedback(book: Book) -> list[Path]:
    """Write the pages of all graded students and return their paths.

    Raises:
        ValueError: if nothing is graded in this folder.
    """
    grades, marks = book.grades(), book.marks()
    if not grades:
        raise ValueError(f"feedback: OUT must hold grades, found none in {book.folder}")
    paths = []
    for grade in grades:
        path = book.folder / "feedback" / f"{safe_name(grade.student)}.html"
        write(path, page(grade, marks.get(grade.student, {})))
        paths.append(path)
    return paths


def page(grade: StudentGrade, marks: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """Return a student's page.

    Args:
        grade: what stands about the student.
        marks: the teacher's marks of the written answers, by item and criterion.
    """
    marks = marks or {}
    return rendered(
        "feedback.html",
        grade=grade,
        sums=total(grade, marks),
        marks=marks,
        meaning=lambda verdict: MEANING.get(verdict, verdict),
        sentence=lambda text: f"{text[:1].upper()}{text[1:]}.",
        told=_told,
        parts_of=_parts,
        reached=_reached,
        BY_HAND=BY_HAND,
        ONLY=ONLY,
    )


def _told(item: CodeGrade) -> str:
    """Return the message without what has its own place here or a notebook only.

    The mistake is told beside it, and on a page nobody can call for a hint.
    """
    kept, inside = [], False
    for line in item.message.splitlines():
        if _HINT.fullmatch(line):
            inside = False
            continue
        begins = bool(item.misconception) and line.startswith(
            ("This is what", "Part of this is what")
        )
        inside = inside or begins
        kept += [] if inside else [line]
    return "\n".join(kept)


def _parts(item: CodeGrade) -> list[tuple[str, dict[str, Any]]]:
    """Return an exercise's parts in its order; a grade file has them by their names."""
    try:
        order = list(exercise_named(item.slug).points)
    except ValueError:  # not of this bank
        return list(item.parts.items())
    places = {name: place for place, name in enumerate(order)}
    return sorted(item.parts.items(), key=lambda one: places.get(one[0], len(order)))


def _reached(item: WrittenAnswer, given: Mapping[str, Any]) -> str:
    """Return the points of a written answer, or a dash while nothing of it is marked."""
    marks = [given[name]["mark"] for name, _ in item.criteria if name in given]
    return number(sum(marks)) if marks else "–"
