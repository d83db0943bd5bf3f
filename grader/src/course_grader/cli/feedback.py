"""``attention-course feedback``: a page for each student."""

import argparse

from course_grader.marking.graded import Book
from course_grader.reports.feedback import write_feedback


def run(options: argparse.Namespace) -> int:
    """Write the pages of a class and say where they are."""
    pages = write_feedback(Book(options.out))
    print(f"{len(pages)} pages in {options.out / 'feedback'}")
    return 0
