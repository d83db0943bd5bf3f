"""``attention-course release``: what students get, and what the grader has to know about it.

Into the folder OUT go ``NAME.ipynb``, ``NAME.zip`` (the notebook and a README.txt) and
``NAME.release.json``, the record. With a roster, each student's notebook and zip lie in a
folder of that student's name, since variants differ. The record stays with the teacher; it says
what was released: items, points, variants, the SHA-256 of each notebook.
"""

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from attention_course.exercises.protocol import COURSE, UNSET, __version__
from course_grader.cli.private import require_private
from course_grader.cli.zips import zipped
from course_grader.marking.rehearsal import require_sound
from course_grader.submissions.assignment import Assignment, CodeItem, load_assignment
from course_grader.submissions.notebook import student_notebook
from course_grader.tables import rows_of, texts_beside

_SAYS = texts_beside(__file__)

RECORD = ".release.json"
STUDENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,79}")


def run(options: argparse.Namespace) -> int:
    """Write what students get, and note what may be amiss."""
    assignment = load_assignment(options.folder)
    students = read_roster(options.roster) if options.roster else ()
    for path in release(assignment, options.out, students):
        print(path)
        if path.suffix == ".ipynb" and (page := path.with_suffix(".html")).exists():
            said = f"note: {page} is of an earlier release: attention-course offline {path}"
            print(said, file=sys.stderr)
    if UNSET in COURSE:
        print(
            "note: this copy of the course has no public address, so Colab cannot install it; "
            "tools/stamp.py ADDRESS TAG gives it one",
            file=sys.stderr,
        )
    if assignment.late_percent_per_day and not assignment.due:
        print(
            "note: nobody can be late: the assignment has late_percent_per_day and no due",
            file=sys.stderr,
        )
    if assignment.due and assignment.due < datetime.now(assignment.due.tzinfo):
        print(f"note: due is over already: {assignment.due:%Y-%m-%d %H:%M %Z}", file=sys.stderr)
    return 0


def release(assignment: Assignment, out: Path, students: Sequence[str] = ()) -> list[Path]:
    """Write notebooks, zips and the record: for each student, or without students for all.

    A public sample's record says nothing that is not published already; every other one stays
    with the teacher, as one does that names students.

    Returns:
        The files that were written.

    Raises:
        ValueError: if students get different variants and none are given, or if the record
            must stay with the teacher and the folder could be published.
    """
    assignment.require_students(students)
    if students or not assignment.sample:
        require_private(out)
    for item in assignment.code:
        if item.own:
            require_sound(item.own)
    written, notebooks = [], []
    for student in students or ("",):
        notebook = student_notebook(assignment, student)
        folder = out / student
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{assignment.name}.ipynb"
        path.write_text(notebook, encoding="utf-8", newline="\n")
        package = folder / f"{assignment.name}.zip"
        package.write_bytes(zipped({path.name: notebook, "README.txt": readme(assignment)}))
        written += [path, package]
        entry = {
            "student": student,
            "file": path.relative_to(out).as_posix(),
            "sha256": hashlib.sha256(notebook.encode()).hexdigest(),
            "variants": assignment.variants(student),
        }
        notebooks.append(entry)
    record = out / f"{assignment.name}{RECORD}"
    content = json.dumps(_record(assignment, notebooks), ensure_ascii=False, indent=2)
    record.write_text(content + "\n", encoding="utf-8", newline="\n")
    return [*written, record]


def read_roster(path: Path) -> tuple[str, ...]:
    """Read the students of a class from a CSV with a column ``student``.

    Commas or semicolons may part its cells.

    Raises:
        ValueError: if there is no such column, or a name is empty, twice there or no file name.
    """
    students = tuple(row["student"] for _, row in rows_of(path, ("student",)))
    for student in students:
        if not STUDENT.fullmatch(student):
            raise ValueError(
                f"{path}: student must be of letters, digits and . _ @ -, got {student!r}"
            )
    if not students or len({student.lower() for student in students}) < len(students):
        raise ValueError(f"{path}: it must name at least one student, and none twice")
    return students


def readme(assignment: Assignment) -> str:
    """Return the note that goes out with a notebook."""
    return _SAYS["readme"].format(
        title=assignment.title,
        line="=" * len(assignment.title),
        points=assignment.max_points,
        minutes=assignment.minutes,
        due=f", due {assignment.due:%Y-%m-%d %H:%M %Z}" if assignment.due else "",
        name=assignment.name,
        sample="\nThis is a public sample: its solutions are public.\n" * assignment.sample,
    )


def _record(assignment: Assignment, notebooks: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "assignment": assignment.name,
        "title": assignment.title,
        "course_version": __version__,
        "due": assignment.due.isoformat() if assignment.due else None,
        "late_percent_per_day": assignment.late_percent_per_day,
        "grace_minutes": assignment.grace_minutes,
        "max_points": assignment.max_points,
        "minutes": assignment.minutes,
        "items": [_item(item) for item in assignment.items],
        "notebooks": notebooks,
    }


def _item(item: Any) -> dict[str, Any]:
    if isinstance(item, CodeItem):
        return {"exercise": item.slug, "points": item.points, "parts": item.parts}
    return {"written": item.id, "points": item.points}
