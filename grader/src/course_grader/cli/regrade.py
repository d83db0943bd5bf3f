"""``attention-course regrade``: what was handed in is graded again, and changes are shown.

It takes the notebooks that ``grade`` copied into OUT, so nothing has to be collected twice.
The grades that stood before go to ``history/``; what changed goes to ``changes.csv``.
"""

import argparse
from collections.abc import Sequence

from course_grader.cli.grade_class import (
    finish,
    grade_all,
    grading,
    prepared,
    refuse_other,
    require_known,
)
from course_grader.marking.graded import Book, StudentGrade
from course_grader.marking.lateness import late_days
from course_grader.marking.one_student import Job
from course_grader.submissions.assignment import Assignment, load_assignment
from course_grader.submissions.cells import slim
from course_grader.submissions.layouts import rank


def run(options: argparse.Namespace) -> int:
    """Grade again what changed: the assignment, the course, the due time.

    Raises:
        ValueError: if nothing is graded in this folder, or ``--again`` names nobody in it.
    """
    assignment, book = load_assignment(options.assignment), Book(options.out)
    refuse_other(assignment, book)
    grades = book.graded()
    require_known(options.again, {grade.student for grade in grades})
    with grading(book):
        setup = prepared(assignment, book)
        graded = grade_all(book, jobs_of(book, assignment, grades), setup, options)
        return finish(book, graded)


def jobs_of(book: Book, assignment: Assignment, grades: Sequence[StudentGrade]) -> list[Job]:
    """Return the submissions that the grades were given for.

    Raises:
        ValueError: if a copy of a submission is gone.
    """
    jobs = []
    for grade in grades:
        data, notebook = b"", rank(grade.submission) is not None
        if notebook:
            path = book.folder / grade.submission
            if not path.is_file():
                raise ValueError(f"regrade: {path} must be there, is gone")
            data = slim(path.read_bytes())
        refused = "" if notebook else grade.reason
        late = late_days(book, assignment, grade.student)
        notes = tuple(grade.notes)
        jobs.append(Job(grade.student, data, grade.submission, notes, refused, late))
    return jobs
