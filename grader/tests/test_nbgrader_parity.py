"""nbgrader gives honest students the points that our grader gives, for the same notebook.

The public samples, and an exercise of a teacher's own, are released; a class of three fills
them in. Our grader takes each answer alone, in a sandbox, on hidden inputs; nbgrader runs the
notebooks as a teacher would run it, in a course folder of its own.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from assignment_files import HEAD, fill, write_assignment

from attention_course.exercises import examine_source
from attention_course.exercises.examine import generator, judge, observe, right_outcome
from attention_course.exercises.runner import load
from course_grader.cli.exercise import EXAMPLE
from course_grader.cli.release import release
from course_grader.marking.engine import grade_answer
from course_grader.sandbox.sandbox import Sandbox
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import part_cell_name

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
SAMPLES = ("recurrent-attention", "self-attention")
OWN = "own-exercise"
FOLDERS = {name: ROOT / "assignments" / name for name in SAMPLES}
NBGRADER = Path(f"{sys.prefix}-nbgrader") / "bin"
POINTS = """
SELECT s.student_id, b.name, g.auto_score, g.needs_manual_grade
FROM grade g JOIN base_cell b ON g.cell_id = b.id
JOIN submitted_notebook n ON g.notebook_id = n.id
JOIN submitted_assignment s ON n.assignment_id = s.id
JOIN assignment a ON s.assignment_id = a.id WHERE a.name = ?
"""


def _one_part_wrong(exercise):
    """Return a wrong answer that loses the same one part on all inputs, and keeps others."""
    for source in map(exercise.source_of, exercise.wrong):
        held = examine_source(exercise, source).parts
        lost = {part for part, holds in held.items() if not holds}
        if len(lost) == 1 and all(_lost(exercise, source, draw) == lost for draw in "abc"):
            return source
    raise AssertionError(f"{exercise.slug} has no wrong answer that loses one part alone")


def _lost(exercise, source, draw):
    """Return the parts that an answer loses on inputs drawn anew."""
    parts = set()
    for probe in exercise.probes:
        calls = list(probe.calls(generator(draw, probe.name)))
        came = observe(exercise, probe, load(source), calls)
        if judge(exercise, probe, right_outcome(exercise, probe, calls), came):
            parts.add(probe.part)
    return parts


@cache
def _answers(name):
    """Return what each student of the class writes for an assignment."""
    exercises = load_assignment(FOLDERS[name]).exercises()
    *but_last, _ = exercises.items()
    return {
        "ann-right": {slug: exercise.solution for slug, exercise in exercises.items()},
        "ben-wrong": {slug: _one_part_wrong(exercise) for slug, exercise in exercises.items()},
        "dee-odd": {slug: exercise.source_of(exercise.right[0]) for slug, exercise in but_last},
    }


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The assignments, filled in by the class and graded by nbgrader; the course's folder."""
    if not (NBGRADER / "nbgrader").is_file():
        pytest.fail("nbgrader has an environment of its own: run `make environment`")
    course = tmp_path_factory.mktemp("course")
    items = '[[items]]\nown = "my_exercise.py"\n[[items]]\nexercise = "four-steps"\n'
    FOLDERS[OWN] = write_assignment(course, HEAD + items, OWN)
    shutil.copy(EXAMPLE, FOLDERS[OWN] / "my_exercise.py")
    for name, home in FOLDERS.items():
        assignment = load_assignment(home)
        notebook, *_ = release(assignment, course / "source" / name, nbgrader=True)
        for extra in (course / "source" / name).iterdir():
            if extra != notebook:
                extra.unlink()
        _nbgrader(course, "generate_assignment", name, "--ClearSolutions.enabled=False")
        for student, answers in _answers(name).items():
            path = course / "submitted" / student / name / notebook.name
            path.parent.mkdir(parents=True)
            written = {item.id: f"{student} writes this." for item in assignment.written}
            path.write_text(fill(course / "release" / name / notebook.name, answers, written))
        _nbgrader(course, "autograde", name)
    return course


def _nbgrader(course, *arguments):
    """Run nbgrader as a user of its own environment would."""
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "JUPYTER"))}
    own = {
        "PATH": f"{NBGRADER}{os.pathsep}{keep['PATH']}",
        "HOME": str(course),
        "JUPYTER_PLATFORM_DIRS": "0",
    }
    done = subprocess.run(
        [NBGRADER / "nbgrader", *arguments],
        cwd=course,
        env=keep | own,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout


def _theirs(course, name):
    """Return nbgrader's points by student and cell, and the cells that a person marks."""
    with sqlite3.connect(course / "gradebook.db") as book:
        rows = book.execute(POINTS, (name,)).fetchall()
    book.close()
    points = {(student, cell): score for student, cell, score, manual in rows if not manual}
    return points, {cell for _, cell, _, manual in rows if manual}


def _ours(assignment):
    """Return our grader's points by student and cell."""
    exercises, points = assignment.exercises(), {}
    assert {exercise.uses for exercise in exercises.values()} == {"numpy"}
    with Sandbox("numpy") as sandbox:
        for student, answers in _answers(assignment.name).items():
            for item in assignment.code:
                exercise = exercises[item.slug]
                source = answers.get(item.slug, exercise.stub)
                grade = grade_answer(sandbox, exercise, source, b"secret", student)
                for number, part in enumerate(item.parts, start=1):
                    cell = part_cell_name(item.slug, number)
                    points[student, cell] = item.scale * grade.parts[part]["points"]
    return points


@pytest.mark.parametrize("name", [*SAMPLES, OWN])
def test_nbgrader_gives_honest_students_the_same_points(graded, name):
    assignment = load_assignment(FOLDERS[name])
    theirs, manual = _theirs(graded, name)
    ours = _ours(assignment)
    assert theirs == ours
    assert manual == {item.id for item in assignment.written}
    total = {
        student: sum(points for (who, _), points in ours.items() if who == student)
        for student, _ in ours
    }
    most = sum(item.points for item in assignment.code)
    assert total["ann-right"] == most
    assert 0 < total["ben-wrong"] < most
    assert total["dee-odd"] == most - assignment.code[-1].points
