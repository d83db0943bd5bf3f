"""``attention-course solutions``: the notebook with solutions, model answers and rubrics.

It is made on the teacher's machine and belongs there. Nothing is executed.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from course_grader.cli.private import require_private
from course_grader.cli.release import read_roster
from course_grader.submissions.assignment import Assignment, load_assignment
from course_grader.submissions.notebook import solution_notebook


def run(options: argparse.Namespace) -> int:
    """Write the notebooks and say where."""
    assignment = load_assignment(options.folder)
    students = read_roster(options.roster) if options.roster else ()
    for path in solutions(assignment, options.out, students):
        print(path)
    return 0


def solutions(assignment: Assignment, out: Path, students: Sequence[str] = ()) -> list[Path]:
    """Write the solution notebook; with students, one for each, in that student's variants.

    Returns:
        The files that were written.

    Raises:
        ValueError: if students get different variants and none are given, or if the assignment
            is no public sample and the folder could be published.
    """
    assignment.require_students(students)
    if not assignment.sample:
        require_private(out)
    written = []
    for student in students or ("",):
        text = solution_notebook(assignment, student)
        path = out / student / f"{assignment.name}-solutions.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        written.append(path)
    return written
