"""``attention-course solutions``: the notebook with solutions, model answers and rubrics.

It is made on the teacher's machine and belongs there. Nothing is executed unless ``--execute``
asks for it.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from course_grader.cli.private import require_private
from course_grader.cli.release import read_roster
from course_grader.submissions.assignment import Assignment, load_assignment
from course_grader.submissions.notebook import solution_notebook

SECONDS = 300


def run(options: argparse.Namespace) -> int:
    """Write the notebooks and say where."""
    assignment = load_assignment(options.folder)
    students = read_roster(options.roster) if options.roster else ()
    for path in solutions(assignment, options.out, students, options.execute):
        print(path)
    return 0


def solutions(
    assignment: Assignment, out: Path, students: Sequence[str] = (), execute: bool = False
) -> list[Path]:
    """Write the solution notebook; with students, one for each, in that student's variants.

    Returns:
        The files that were written.

    Raises:
        ValueError: if students get different variants and none are given, or if the assignment
            is no public sample and the folder could be published.
        ModuleNotFoundError: if it is to be executed and nbclient is not installed.
    """
    if assignment.varies and not students:
        raise ValueError(
            f"solutions: {assignment.name} gives students different variants, so it needs "
            "--roster, a CSV with a column student"
        )
    if not assignment.sample:
        require_private(out)
    written = []
    for student in students or ("",):
        text = solution_notebook(assignment, student)
        path = out / student / f"{assignment.name}-solutions.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(_executed(text) if execute else text)
        written.append(path)
    return written


def _executed(text: str) -> str:
    """Run a notebook and return it with its outputs.

    Raises:
        ModuleNotFoundError: if nbclient is not installed.
        ValueError: if a cell raises.
    """
    try:
        import nbformat
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"--execute needs {error.name}: python -m pip install nbclient ipykernel"
        ) from error
    notebook = nbformat.reads(text, as_version=4)
    try:
        NotebookClient(notebook, timeout=SECONDS, kernel_name="python3").execute()
    except CellExecutionError as error:
        raise ValueError(f"solutions: a cell raises {error.ename}: {error.evalue}") from error
    return nbformat.writes(notebook) + "\n"
