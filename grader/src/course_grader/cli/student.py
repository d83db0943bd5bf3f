"""``attention-course student``: what stands about one student, and points that a person gives.

For an objection: which file was graded, where the page is, item by item what came of it. With
``--give`` an answer in code gets points by hand, in the place of the grader's or where it has
none. They count for that answer alone: if the student hands in another one, the grader decides
again.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from course_grader.marking.graded import (
    BY_HAND,
    Book,
    CodeGrade,
    StudentGrade,
    safe_name,
)
from course_grader.marking.store import login
from course_grader.marking.totals import by_hand, given_for, number, total
from course_grader.reports.gradebook import write_gradebook
from course_grader.safe_text import listed, one_line, printable

MOST_NAMED = 10


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the subcommand ``student``."""
    parser = subparsers.add_parser("student", help="look at one student; give points by hand")
    parser.add_argument("out", type=Path, help="the folder that grade wrote into")
    parser.add_argument("student", help="the name, or a part of it that nobody else has")
    parser.add_argument("--item", default="", help="the exercise that gets points by hand")
    parser.add_argument(
        "--give", metavar="POINTS", help="how many; the word back takes them back"
    )
    parser.add_argument("--because", default="", metavar="TEXT", help="for the student's page")
    parser.add_argument("--by", default=login(), metavar="NAME", help="who gives them")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Give points if that is asked for, and say what stands."""
    book = Book(options.out)
    student = _known(options.student, [grade.student for grade in book.grades()])
    if bool(options.item) != (options.give is not None):
        raise ValueError("--item and --give go together: which exercise gets how many points")
    if options.item:
        _give(book, student, options)
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


def _give(book: Book, student: str, options: argparse.Namespace) -> None:
    """Keep points by hand, or take them back; the tables of the class follow."""
    grade = _grade(book, student)
    code = {item.slug for item in grade.code}
    items = {one.id: one for one in grade.markable if one.id in code}
    if options.item not in items:
        raise ValueError(f"--item must be one of {', '.join(items)}, got {options.item}")
    item = items[options.item]
    with book.store.changing(one_line(options.by, 80), f"give {options.give}") as kept:
        place = student, item.id, BY_HAND
        if options.give == "back":
            kept.pop(place, None)
        else:
            kept[place] = {
                "mark": _points(options.give, item.max_points),
                "comment": printable(options.because, 4000),
                "of": item.max_points,
                "answer": item.digest,
            }
    write_gradebook(book)


def _points(text: str, most: float) -> float:
    try:
        points = float(text.replace(",", "."))
    except ValueError:
        points = -1
    if not 0 <= points <= most:
        raise ValueError(f"--give must be from 0 to {number(most)}, or back, got {text}")
    return points


def _grade(book: Book, student: str) -> StudentGrade:
    grade = book.grade(student)
    assert grade  # the name is one of the grades'
    return grade


def _said(book: Book, student: str) -> list[str]:
    """Return what stands about a student, line by line."""
    grade, marks = _grade(book, student), book.marks().get(student, {})
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
