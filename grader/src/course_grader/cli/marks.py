"""``attention-course marks``: a platform's own grade table comes back filled, with feedback.

The table that was downloaded is left as it is. The filled one, under the same name, and a zip
of feedback pages for Moodle's or Canvas's bulk upload go into ``OUT/upload``. A mark goes in
only when it is final.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from course_grader.cli.zips import zipped
from course_grader.marking.graded import Book
from course_grader.marking.totals import number, total
from course_grader.reports.feedback import pages_of
from course_grader.reports.lms import SYSTEMS, Filled, Final, fill, moodle_folder
from course_grader.safe_text import listed, one_line
from course_grader.submissions.layouts import canvas_stem
from course_grader.submissions.students import collect
from course_grader.submissions.unpack import opened
from course_grader.tables import read_table, write

NOT_FINAL, MOST_NAMED = "not final", 10


def run(options: argparse.Namespace) -> int:
    """Fill the table, write the zip, and say who is left; status 1 if anybody is."""
    name = next(name for name in SYSTEMS if getattr(options, name))
    source: Path = getattr(options, name)
    book = Book(options.out)
    grades, marks = book.graded(), book.marks()
    sums = {grade.student: total(grade, marks.get(grade.student, {})) for grade in grades}
    finals = [
        Final(student, number(one.points), "" if one.final else f"{NOT_FINAL}: {one}")
        for student, one in sums.items()
    ]
    most = number(max(one.max_points for one in sums.values()))
    text = read_table(source, mark=True)
    try:
        filled = fill(text, SYSTEMS[name], finals, most, options.column)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error
    upload = book.folder / "upload"
    folders = dict(_names(name, filled, options.submissions, grades[0].assignment))
    feedback = {
        folders[student]: text.encode()
        for student, text in pages_of(book).items()
        if student in folders and student in filled.rows
    }
    table = upload / source.name
    if table.resolve() == source.resolve():
        raise ValueError(
            f"{source} is where the filled table goes: keep the download elsewhere"
        )
    write(table, filled.text.encode("utf-8"))
    _say(filled, table)
    if name == "canvas" and not options.submissions:
        print("no feedback zip: its pages need the names in Canvas's zip, --submissions ZIP")
    if feedback:
        archive = upload / f"{name}-feedback.zip"
        write(archive, zipped(feedback))
        print(f"{archive}: feedback for {len(feedback)} of {len(grades)}")
        if none := [one.student for one in grades if folders.get(one.student) not in feedback]:
            print(f"  no place for the pages of {listed(none)}")
    return 1 if filled.left else 0


def _names(
    name: str, filled: Filled, submissions: Path | None, assignment: str
) -> Iterator[tuple[str, str]]:
    """Yield whose feedback goes back under which name."""
    if name == "moodle":
        for student, cells in filled.rows.items():
            if folder := moodle_folder(cells):
                yield student, f"{folder}/feedback.html"
    elif name == "canvas" and submissions:
        with opened(submissions) as members:
            for one in collect(members, assignment).handed:
                if stem := next(filter(None, map(canvas_stem, one.files)), ""):
                    yield one.student, f"{stem}.html"


def _say(filled: Filled, table: Path) -> None:
    new = len(filled.written)
    print(f"{table}: {new} {'mark' if new == 1 else 'marks'} written")
    if filled.replaced:
        print(f"  other marks stood there: {listed(filled.replaced)}")
    left = sorted(filled.left, key=lambda entry: entry[1].startswith(NOT_FINAL))
    for student, why in left[:MOST_NAMED]:
        print(f"  left as it was: {one_line(student)} ({one_line(why)})")
    if (more := len(left) - MOST_NAMED) > 0:
        print(f"  left as they were: {more} more")
