"""Writes the tables of a class: ``grades.csv`` and the class report."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from course_grader.marking.graded import Book, StudentGrade
from course_grader.marking.totals import (
    OUTGROWN,
    number,
    outdated,
    outgrown,
    overruled,
    points_of,
    total,
    unfit,
)
from course_grader.reports import class_report
from course_grader.safe_text import cell, one_line
from course_grader.tables import write, write_table


def write_gradebook(book: Book) -> list[Path]:
    """Write ``grades.csv``, ``class.html`` and ``class.txt``; return their paths."""
    with book.tables():
        return _write(book)


def _write(book: Book) -> list[Path]:
    grades, marks = book.grades(), book.marks()
    names = book.names()
    report = class_report.class_report(grades, marks, names)
    files = {
        "grades.csv": as_csv(grade_rows(grades, marks, names)),
        "class.html": class_report.as_html(report),
        "class.txt": class_report.as_text(report),
    }
    for name, text in files.items():
        (write_table if name.endswith(".csv") else write)(book.folder / name, text)
    return [book.folder / name for name in files]


def unfit_said(book: Book) -> str:
    """Return in words how many marks fit no criterion any more; nothing if all do."""
    marks = book.marks()
    counts = Counter(
        place
        for grade in book.readable()
        for place in unfit(grade, marks.get(grade.student, {}))
    )
    if not counts:
        return ""
    places = (f"{item}, {one_line(name)} ({count})" for (item, name), count in counts.items())
    head = "1 mark fits no" if counts.total() == 1 else f"{counts.total()} marks fit no"
    return f"{head} criterion any more: {'; '.join(places)}"


def grade_rows(
    grades: Sequence[StudentGrade],
    marks: dict[str, Any],
    called: Mapping[str, str] | None = None,
) -> list[list[str]]:
    """Return the rows of ``grades.csv``, with its head, safe for a spreadsheet.

    A cell of points is empty where they are not yet known: an answer could not be read, the
    grader failed, or a written answer is not marked. Then ``total`` is empty too, ``so_far``
    says what stands, ``not_yet`` how many points it waits for, and the notes say so in words.
    What students are called is a column of its own, if anything of it is known.
    """
    names = _items(grades)
    sums = [
        "so_far",
        "not_yet",
        "late_days",
        "late_deduction",
        "total",
        "max",
        "verdict",
        "verdicts",
    ]
    rows = [["student", *map(cell, names), *sums, "notes"]]
    rows += [_row(grade, names, marks.get(grade.student, {})) for grade in grades]
    if called:
        shown = ["name", *(cell(called.get(grade.student, "")) for grade in grades)]
        rows = [[row[0], name, *row[1:]] for row, name in zip(rows, shown, strict=True)]
    return rows


def as_csv(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as the text of a CSV file; quoted, so that a semicolon parts no cell."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    return file.getvalue()


def _items(grades: Sequence[StudentGrade]) -> list[str]:
    """Return all items, in the order in which they first come."""
    named = [[c.slug for c in g.code] + [w.id for w in g.written] for g in grades]
    return list(dict.fromkeys(name for names in named for name in names))


def _row(grade: StudentGrade, names: Sequence[str], marks: dict[str, Any]) -> list[str]:
    sums = total(grade, marks)
    hand = {c.slug: overruled(c, marks.get(c.slug, {})) for c in grade.code}
    points = points_of(grade, marks)
    verdicts = "; ".join(f"{c.slug}: {c.verdict}" for c in grade.code)
    notes = ["" if sums.final else str(sums), grade.reason, *grade.notes, *grade.reading]
    notes += [
        f"{c.slug}: by hand, in the place of {number(c.points)}"
        for c in grade.code
        if hand[c.slug]
    ]
    notes += [
        f"{c.slug}: defence: {part['asked']}"
        for c in grade.code
        for part in c.parts.values()
        if part.get("asked")
    ]
    notes += [f"{name}: changed since it was marked" for name in outdated(grade, marks)]
    notes += [
        f"{i}, {name}: the mark fits no criterion any more" for i, name in unfit(grade, marks)
    ]
    notes += [f"{item}, {name}: {OUTGROWN}" for item, name in outgrown(grade, marks)]
    return [
        cell(grade.student),
        *("" if (p := points.get(name)) is None else number(p) for name in names),
        number(sums.points),
        number(sums.unmarked + sums.ungraded),
        "" if grade.late_days is None else str(grade.late_days),
        number(sums.late),
        number(sums.points) if sums.final else "",
        number(sums.max_points),
        grade.verdict,
        verdicts,
        cell(" | ".join(one_line(note, 500) for note in notes if note)),
    ]
