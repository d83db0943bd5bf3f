"""``attention-course gradescope``: an autograder for Gradescope, as the zip that it takes.

In the zip lie ``setup.sh`` and ``run_autograder``, which Gradescope runs, the source of the
course that made it, the assignment and its secret. Nothing of the course comes from a registry;
NumPy does, in the version that is installed here.

Source: Gradescope's autograder specification, https://gradescope-autograders.readthedocs.io.
"""

import argparse
import importlib.metadata
import json
import os
from collections.abc import Iterator
from pathlib import Path

from attention_course.exercises import protocol
from course_grader.cli.grade_class import name_pairs, read_secret
from course_grader.cli.private import require_private
from course_grader.cli.release import read_roster
from course_grader.cli.zips import zipped
from course_grader.marking.one_student import own_files
from course_grader.marking.totals import number
from course_grader.safe_text import listed
from course_grader.submissions.assignment import (
    MANIFEST,
    SECRET,
    Assignment,
    load_assignment,
)
from course_grader.submissions.students import extensions_in
from course_grader.tables import texts_beside, write

_SAYS = texts_beside(__file__)

KEY, STUDENTS = "key", "students.json"
_MOST_BYTES = 2**20  # of a file of the assignment


def run(options: argparse.Namespace) -> int:
    """Write the zip and say what to set on Gradescope."""
    assignment = load_assignment(options.folder)
    require_private(options.out)
    secret = options.secret or assignment.folder / SECRET
    if not secret.is_file():
        raise ValueError(
            f"{secret}: there is no secret; --secret names the one that grade uses, such as "
            "private/graded/secret"
        )
    read_secret(secret, new=False)
    if assignment.varies and not options.roster:
        raise ValueError(
            f"{assignment.name} gives students different variants, so it needs --roster"
        )
    longer = extensions_in(options.extensions, assignment.due) if options.extensions else {}
    students = {
        "extensions": {student: due.isoformat() for student, due in longer.items()},
        "roster": read_roster(options.roster) if options.roster else (),
        "names": dict(name_pairs(options.students)) if options.students else {},
    }
    files = {
        "setup.sh": _SAYS["setup"],
        "run_autograder": _SAYS["run"],
        "requirements.txt": "".join(f"{line}\n" for line in _needed(assignment)),
        STUDENTS: json.dumps(students, indent=1) + "\n",
        KEY: secret.read_bytes(),
        **dict(_assigned(assignment)),
        **{f"course/{name}": content for name, content in _course()},
    }
    path: Path = options.out
    if path.suffix.lower() != ".zip":  # a folder, as for every other command
        path /= f"{assignment.name}-autograder.zip"
    write(path, zipped(files, ("setup.sh", "run_autograder")))
    os.chmod(path, 0o600)
    print(f"{path}: upload it to Gradescope, and give it to nobody: it holds the secret")
    points = sum(item.points for item in assignment.code)
    print(f"set the autograder's points to {number(points)}")
    if assignment.written:
        marked = sum(item.points for item in assignment.written)
        titles = listed(item.title for item in assignment.written)
        print(f"switch manual grading on, for {number(marked)} points: {titles}")
    return 0


def _needed(assignment: Assignment) -> Iterator[str]:
    """Yield what has to be installed, in the versions that grade here."""
    for name in sorted({"numpy", *(each.uses for each in assignment.exercises().values())}):
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            raise ValueError(f"{name} is not installed here: make grader TORCH=1") from None
        yield f"{name}=={version.partition('+')[0]}"


def _assigned(assignment: Assignment) -> Iterator[tuple[str, bytes]]:
    """Yield what an assignment is read from, its secret too, which may draw the variants."""
    for path in sorted(assignment.folder.iterdir()):
        text = path.name in (MANIFEST, SECRET) or path.suffix in (".md", ".py")
        if text and path.is_file() and path.stat().st_size <= _MOST_BYTES:
            yield f"assignment/{assignment.name}/{path.name}", path.read_bytes()


def _course() -> Iterator[tuple[str, bytes]]:
    """Yield the files that decide about points, and what they import."""
    top = (path for path in protocol.PACKAGE.iterdir() if path.suffix == ".py")
    for path in sorted({*top, *protocol.files("exercises", "reference", "data/world")}):
        yield path.relative_to(protocol.PACKAGE.parent).as_posix(), path.read_bytes()
    yield from own_files()
