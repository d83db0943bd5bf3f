"""``attention-course feedback``: a page for each student."""

import argparse
from pathlib import Path

from course_grader.marking.graded import Book
from course_grader.reports.feedback import write_feedback


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the subcommand ``feedback``."""
    parser = subparsers.add_parser("feedback", help="write one page a student")
    parser.add_argument("out", type=Path, help="the folder that grade wrote into")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the pages of a class and say where they are."""
    pages = write_feedback(Book(options.out))
    print(f"{len(pages)} pages in {options.out / 'feedback'}")
    return 0
