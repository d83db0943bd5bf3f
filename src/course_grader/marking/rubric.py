"""``attention-course rubric``: the written answers go out to be marked, and marks come back.

``rubric OUT`` writes ``rubric.csv``, a row for each student and criterion, and each answer to
``written/``. ``rubric OUT --merge FILE`` takes the marks of such a table over, all of them or,
if a line is wrong, none. A mark that was typed in is never lost: a table that is replaced goes
to the history, and what was typed in it and not yet merged stands in the new one too.
"""

import argparse
import csv
import io
import math
import sys
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_grader.marking.graded import (
    Book,
    StudentGrade,
    parted_by,
    read_table,
    safe_name,
    write,
    write_table,
)
from course_grader.marking.totals import number
from course_grader.reports.gradebook import as_csv, write_gradebook
from course_grader.safe_text import cell, plain, uncelled

COLUMNS = ("student", "item", "criterion", "max", "mark", "comment")
MOST_COMMENT = 4000
Place = tuple[str, str, str]


@dataclass
class Merged:
    """What came of a table of marks: what is wrong in it by line, or what was taken over."""

    problems: list[str] = field(default_factory=list)
    places: dict[Place, dict[str, Any]] = field(default_factory=dict)
    changed: int = 0


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the subcommand ``rubric``."""
    parser = subparsers.add_parser("rubric", help="mark the written answers")
    parser.add_argument("out", type=Path, help="the folder that grade wrote into")
    parser.add_argument("--merge", type=Path, metavar="FILE", help="take these marks over")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the table, or take marks over."""
    book = Book(options.out)
    if not options.merge:
        print(f"{write_rubric(book)}: fill in the column mark, then use --merge")
        return 0
    _typed(book.folder / "rubric.csv")  # cannot be read: refused before marks are taken over
    merged = merge(book, read_table(options.merge))
    if merged.problems:
        lines = [f"{options.merge}, {problem}" for problem in merged.problems]
        print("\n".join([*lines, "nothing was taken over"]), file=sys.stderr)
        return 2
    write_rubric(book, merged.places)
    write_gradebook(book)
    print(
        f"{merged.changed} {'mark is' if merged.changed == 1 else 'marks are'} new or changed"
    )
    return 0


def write_rubric(book: Book, settled: Container[Place] = ()) -> Path:
    """Write ``rubric.csv`` and the written answers; return the table's path.

    Args:
        book: the folder of the class.
        settled: whose marks were just taken over, so that what the table says is old.

    Raises:
        ValueError: if nothing is graded in this folder.
    """
    grades = book.grades()
    if not grades:
        raise ValueError(f"rubric: OUT must hold grades, found none in {book.folder}")
    path = book.folder / "rubric.csv"
    typed = _typed(path)
    rows = [list(COLUMNS)]
    for place, most, mark in _places(grades, book.marks()):
        texts = [number(mark["mark"]), mark.get("comment", "")] if mark else ["", ""]
        if place not in settled:
            texts = typed.get(_as_read(place), texts)
        rows.append([*map(cell, place), number(most), *map(cell, texts)])
    text = as_csv(rows)
    if path.is_file() and read_table(path) != text:
        book.to_history(path, "rubric")
    write_table(path, text)
    for grade in grades:
        for item in grade.by_hand:
            name = f"{safe_name(grade.student)}.{item.id}.txt"
            write(book.folder / "written" / name, plain(item.answer) + "\n")
    return path


def merge(book: Book, text: str) -> Merged:
    """Take marks over, all or none.

    Args:
        book: the folder of the class.
        text: a table as :func:`write_rubric` writes it; rows without a mark are passed over.
    """
    grades, marks = book.grades(), book.marks()
    asked = {_as_read(place): (place, most) for place, most, _ in _places(grades, {})}
    digests = {(g.student, w.id): w.digest for g in grades for w in g.by_hand}
    merged = Merged()
    for line, row in _rows(text, merged.problems):
        try:
            place, mark = _mark(row, asked)
        except ValueError as error:
            merged.problems.append(f"line {line}: {error}")
            continue
        if place in merged.places:
            merged.problems.append(f"line {line}: this student and criterion stand twice")
        elif mark:
            merged.places[place] = mark | {"answer": digests[place[:2]]}
    if not merged.problems:
        _take_over(book, marks, merged)
    return merged


def _take_over(book: Book, marks: dict[str, Any], merged: Merged) -> None:
    for (student, item, criterion), mark in merged.places.items():
        there = marks.setdefault(student, {}).setdefault(item, {})
        merged.changed += there.get(criterion) != mark
        there[criterion] = mark
    if merged.changed:
        book.keep_marks(marks)


def _places(
    grades: Sequence[StudentGrade], marks: dict[str, Any]
) -> Iterator[tuple[Place, float, dict[str, Any] | None]]:
    """Yield each student's criteria, their points, and the mark that stands."""
    for grade in grades:
        for item in grade.by_hand:
            for criterion, most in item.criteria:
                mark = marks.get(grade.student, {}).get(item.id, {}).get(criterion)
                yield (grade.student, item.id, criterion), most, mark


def _rows(text: str, problems: list[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the lines of a table with their numbers; a semicolon may stand for the comma."""
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=parted_by(text), strict=True)
    missing = {"student", "item", "criterion", "mark"} - set(rows.fieldnames or ())
    if missing:
        problems.append(f"line 1: the columns {', '.join(sorted(missing))} are missing")
        return
    try:
        for row in rows:
            yield rows.line_num, {k: (v or "").strip() for k, v in row.items() if k}
    except csv.Error as error:
        problems.append(f"line {rows.line_num}: {error}")


def _mark(
    row: dict[str, str], asked: dict[Place, tuple[Place, float]]
) -> tuple[Place, dict[str, Any] | None]:
    """Return whose mark a row holds, and the mark; None if it holds none.

    Raises:
        ValueError: if the student, the criterion or the mark is not possible.
    """
    key = _place(row)
    if key not in asked:
        if key[0] not in {known[0] for known in asked}:
            raise ValueError(f"student must be one who is graded, got {key[0]!r}")
        raise ValueError(f"{key[0]} is not asked for {key[1]!r}, {key[2]!r}")
    place, most = asked[key]
    comment = plain(uncelled(row.get("comment", "")), MOST_COMMENT)
    if not row["mark"]:
        if comment:
            raise ValueError("a comment needs a mark beside it")
        return place, None
    try:
        mark = float(row["mark"].replace(",", "."))
    except ValueError:
        mark = math.nan
    if not 0 <= mark <= most:
        raise ValueError(f"mark must be a number from 0 to {number(most)}, got {row['mark']!r}")
    return place, {"mark": mark, "comment": comment, "of": most}


def _as_read(place: Place) -> Place:
    """Return a place as it comes back from a table."""
    student, item, criterion = (cell(part).strip() for part in place)
    return student, item, criterion


def _place(row: dict[str, str]) -> Place:
    return row["student"], row["item"], row["criterion"]


def _typed(path: Path) -> dict[Place, list[str]]:
    """Return what stands in a table's columns mark and comment, by its first three."""
    if not path.is_file():
        return {}
    return {
        _place(row): [row["mark"], uncelled(row.get("comment", ""))]
        for _, row in _rows(read_table(path), [])
        if row["mark"] or row.get("comment")
    }
