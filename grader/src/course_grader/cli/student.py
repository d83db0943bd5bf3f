"""``attention-course student``: what stands about one student.

For an objection: which file was graded, where the page is, and the result of each item.
"""

import argparse
from collections.abc import Sequence

from course_grader.marking.graded import Book, CodeGrade, safe_name
from course_grader.marking.totals import by_hand, given_for, number, total
from course_grader.safe_text import listed, one_line

MOST_NAMED = 10


def run(options: argparse.Namespace) -> int:
    """Print one student's record."""
    book = Book(options.out)
    student = _known(options.student, [grade.student for grade in book.grades()])
    print("\n".join(_said(book, student)))
    return 0


def _known(asked: str, students: Sequence[str]) -> str:
    """Return the one student who is asked for."""
    if asked in students:
        return asked
    found = [name for name in students if asked.casefold() in name.casefold()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise ValueError(f"nobody who is graded is called {one_line(asked)}")
    more = " and others" if len(found) > MOST_NAMED else ""
    raise ValueError(f"{one_line(asked)} may be {listed(found[:MOST_NAMED])}{more}")


def _said(book: Book, student: str) -> list[str]:
    """Return what stands about a student, line by line."""
    grade, marks = book.grade(student), book.marks().get(student, {})
    assert grade  # the name is one of the grades'
    page = book.folder / "feedback" / f"{safe_name(student)}.html"
    lines = [f"{one_line(student)}: {total(grade, marks)}"]
    lines += [f"  file: {book.folder / grade.submission}" if grade.submission else "  no file"]
    lines += [f"  page: {page}"] if page.is_file() else []
    for item in grade.code:
        lines.append(f"  {item.slug}: {_points_said(item, marks.get(item.slug, {}))}")
    for written in grade.written:
        done = given_for(written, marks.get(written.id, {}))
        waits = not done and written.answer.strip()
        state = "not marked," if waits else number(sum(done))
        empty = "" if written.answer.strip() else ", no answer"
        lines.append(f"  {written.id}: {state} of {number(written.max_points)}{empty}")
    lines += [
        f"  {one_line(note)}" for note in [grade.reason, *grade.notes, *grade.reading] if note
    ]
    return lines


def _points_said(item: CodeGrade, given: dict[str, dict[str, object]]) -> str:
    of = f"of {number(item.max_points)}, {item.verdict}"
    mark = by_hand(item, given)
    if mark:
        instead = "" if item.unread else f"in the place of {number(item.points)} "
        return f"{number(mark['mark'])} by hand {instead}{of}"
    first = next(iter(item.message.splitlines()), "") if item.verdict != "OK" else ""
    return f"{'not graded,' if item.unread else number(item.points)} {of}" + (
        f" ({one_line(first)})" if first else ""
    )
