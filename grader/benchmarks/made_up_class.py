"""Makes up a class, and grades it with the course's grader and with nbgrader's autograde.

Students hand in the self-attention sample: right answers, odd but right ones, one part wrong,
the last exercise not written. Both grade by their own command, as a teacher would type it.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from attention_course.exercises import Exercise, examine_source
from attention_course.exercises.examine import generator, judge, observe, right_outcome
from attention_course.exercises.runner import load
from course_grader.marking.graded import Book
from course_grader.submissions.assignment import Assignment
from course_grader.submissions.notebook import part_cell_name, student_notebook

ROOT = Path(__file__).parents[2]
SOURCES = os.pathsep.join([str(ROOT / "src"), str(ROOT / "grader" / "src")])
SAMPLE = ROOT / "assignments" / "self-attention"
KINDS = ("right", "right", "odd", "wrong", "partial")
POINTS = """
SELECT s.student_id, b.name, g.auto_score
FROM grade g JOIN base_cell b ON g.cell_id = b.id
JOIN submitted_notebook n ON g.notebook_id = n.id
JOIN submitted_assignment s ON n.assignment_id = s.id
WHERE NOT g.needs_manual_grade
"""
Scores = dict[tuple[str, str], float]


def kind_of(number: int) -> str:
    """Return what kind of submission a student hands in."""
    return KINDS[number % len(KINDS)]


def answers_of(assignment: Assignment, number: int) -> dict[str, str]:
    """Return what a student writes, by exercise; an exercise left out is not written."""
    exercises, kind = assignment.exercises(), kind_of(number)
    answers = {slug: exercise.solution for slug, exercise in exercises.items()}
    first, *_, last = exercises
    if kind == "odd":
        for slug, exercise in exercises.items():
            odd = exercise.right[number // len(KINDS) % len(exercise.right)]
            answers[slug] = exercise.source_of(odd)
    if kind == "wrong":
        answers[first] = one_part_wrong(exercises[first])
    if kind == "partial":
        del answers[last]
    return answers


def one_part_wrong(exercise: Exercise) -> str:
    """Return the first wrong answer that loses one part alone."""
    for source in map(exercise.source_of, exercise.wrong):
        if [*examine_source(exercise, source).parts.values()].count(False) == 1:
            return source
    raise RuntimeError(f"{exercise.slug} has no wrong answer that loses one part alone")


def filled(assignment: Assignment, number: int, said: str, *, nbgrader: bool = False) -> str:
    """Return a student's notebook; the written questions are answered by what is said."""
    notebook = json.loads(student_notebook(assignment, nbgrader=nbgrader))
    answers = answers_of(assignment, number)
    texts = {slug: f"# EXERCISE {slug}\n{answer}" for slug, answer in answers.items()}
    texts |= {item.id: f"<!-- WRITTEN {item.id} -->\n\n{said}" for item in assignment.written}
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = texts.get(name, cell["source"])
    return json.dumps(notebook)


def hand_in(assignment: Assignment, folder: Path, numbers: Sequence[int]) -> None:
    """Write the submissions in nbgrader's folders, which both graders read."""
    for number in numbers:
        path = folder / f"student-{number:02d}" / assignment.name / f"{assignment.name}.ipynb"
        path.parent.mkdir(parents=True)
        said = f"Student {number} says why."
        path.write_text(filled(assignment, number, said, nbgrader=True))


def run(command: Sequence[str | Path], **more) -> None:
    """Run a command.

    Raises:
        RuntimeError: if it fails.
    """
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def by_us(assignment: Assignment, home: Path) -> Scores:
    """Grade with the course's grader; return the points by student and part."""
    command = [sys.executable, "-m", "course_grader", "grade", home / "submitted"]
    command += ["--assignment", assignment.folder, "--out", home / "ours"]
    environment = os.environ | {"PYTHONPATH": SOURCES, "OMP_NUM_THREADS": "1"}
    run(command, env=environment)
    return {
        (grade.student, part_cell_name(item.slug, place)): part["points"]
        for grade in Book(home / "ours").grades()
        for item in grade.code
        for place, part in enumerate(_in_order(assignment, item), start=1)
    }


def _in_order(assignment: Assignment, item) -> list[dict]:
    """Return an item's parts in the order of the assignment; files are sorted by name."""
    [asked] = [found for found in assignment.code if found.slug == item.slug]
    return [item.parts[name] for name in asked.parts]


def by_nbgrader(assignment: Assignment, home: Path, environment: Path) -> Scores:
    """Grade with nbgrader; return the points by student and part."""
    source = home / "source" / assignment.name
    source.mkdir(parents=True)
    (source / f"{assignment.name}.ipynb").write_text(
        student_notebook(assignment, nbgrader=True)
    )
    tool, name = environment / "bin" / "nbgrader", assignment.name
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "JUPYTER"))}
    own = {
        "PATH": f"{environment / 'bin'}{os.pathsep}{keep['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "OMP_NUM_THREADS": "1",
        "HOME": str(home),
        "JUPYTER_PLATFORM_DIRS": "0",
    }
    places = {"cwd": home, "env": keep | own}
    run([tool, "generate_assignment", name, "--ClearSolutions.enabled=False"], **places)
    run([tool, "autograde", name], **places)
    with sqlite3.connect(home / "gradebook.db") as book:
        rows = book.execute(POINTS).fetchall()
    book.close()
    return {(student, cell): points for student, cell, points in rows}


def compare(
    assignment: Assignment, numbers: Sequence[int], environment: Path
) -> dict[str, float]:
    """Grade some students with both; return the points of each.

    Raises:
        RuntimeError: if the two do not agree.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        hand_in(assignment, home / "submitted", numbers)
        our_scores = by_us(assignment, home)
        their_scores = by_nbgrader(assignment, home, environment)
    if our_scores != their_scores:
        different = {
            key: (our_scores.get(key), their_scores.get(key))
            for key in our_scores.keys() | their_scores.keys()
            if our_scores.get(key) != their_scores.get(key)
        }
        raise RuntimeError(f"the points differ (ours, nbgrader's): {different}")
    return {
        f"student-{n:02d}": sum(
            p for (s, _), p in our_scores.items() if s == f"student-{n:02d}"
        )
        for n in numbers
    }
