"""nbgrader gives honest students the points that our grader gives, for the same notebook.

The public samples, and an exercise of a teacher's own, are released; a class of five fills
them in. Our grader takes each answer alone, in a sandbox, on hidden inputs; nbgrader runs the
notebooks as a teacher would run it, in a course folder of its own.
"""

import shutil
import sys
from pathlib import Path

import grading
import pytest
from assignment_files import HEAD, write_assignment

from course_grader.cli.exercise import EXAMPLE
from course_grader.submissions.assignment import load_assignment

pytestmark = pytest.mark.thorough

SAMPLES = ("recurrent-attention", "self-attention")
NBGRADER = Path(f"{sys.prefix}-nbgrader")


@pytest.mark.parametrize("name", [*SAMPLES, "own-exercise"])
def test_nbgrader_gives_honest_students_the_same_points(tmp_path, name):
    if not (NBGRADER / "bin" / "nbgrader").is_file():
        pytest.fail("nbgrader has an environment of its own: run `make environment`")
    folder = grading.ROOT / "assignments" / name
    if name not in SAMPLES:
        items = '[[items]]\nown = "my_exercise.py"\n[[items]]\nexercise = "four-steps"\n'
        folder = write_assignment(tmp_path, HEAD + items, name)
        shutil.copy(EXAMPLE, folder / "my_exercise.py")
    assignment = load_assignment(folder)
    compared = grading.compare(assignment, range(5), NBGRADER)  # it stops where points differ
    points = dict(zip(compared["kinds"], compared["points"], strict=True))
    most = sum(item.points for item in assignment.code)
    assert points["right"] == points["odd"] == most
    assert 0 < points["wrong"] < most
    assert points["partial"] == most - assignment.code[-1].points
