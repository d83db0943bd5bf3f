"""``attention-course offline``: a released notebook as one file that a browser alone runs.

``NAME.html`` is written beside ``NAME.ipynb``. It is made by the course, of that notebook and
of nothing else of the assignment.
"""

import argparse
from pathlib import Path

from course_grader.submissions.notebook import SOLVED


def run(options: argparse.Namespace) -> int:
    """Write a page of each notebook."""
    for path in options.notebooks:
        print(offline(path))
    return 0


def offline(path: Path) -> Path:
    """Write the page of a released notebook beside it.

    Raises:
        ValueError: if it is no notebook with exercises, or holds the solutions.
        ModuleNotFoundError: if what builds the book is not installed.
    """
    notebook = path.read_text(encoding="utf-8")
    if SOLVED in notebook:
        raise ValueError(f"offline: {path} holds the solutions: name the released notebook")
    try:
        from attention_course.site.offline import offline_page
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"offline: it needs what builds the book, and {error.name} is missing: make grader"
        ) from error
    page = path.with_suffix(".html")
    page.write_text(offline_page(notebook, path.name), encoding="utf-8", newline="\n")
    return page
