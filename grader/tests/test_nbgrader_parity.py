"""nbgrader gives honest students the points that our grader gives, for the same notebook.

The public samples, and an exercise of a teacher's own, are released; a class of five fills
them in. Our grader takes each answer alone, in a sandbox, on hidden inputs; nbgrader runs the
notebooks as a teacher would run it, in a course folder of its own.
"""

import shutil
import sys
from pathlib import Path

import made_up_class as made
import pytest
from assignment_files import HEAD, write_assignment

from attention_course.exercises import examine_source
from course_grader.cli.exercise import EXAMPLE
from course_grader.submissions.assignment import load_assignment

SAMPLES = ("recurrent-attention", "self-attention")
NBGRADER = Path(f"{sys.prefix}-nbgrader")


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*SAMPLES, "own-exercise"])
def test_nbgrader_gives_honest_students_the_same_points(tmp_path, name):
    if not (NBGRADER / "bin" / "nbgrader").is_file():
        pytest.fail("nbgrader has an environment of its own: run `make environment`")
    folder = made.ROOT / "assignments" / name
    if name not in SAMPLES:
        items = '[[items]]\nown = "my_exercise.py"\n[[items]]\nexercise = "four-steps"\n'
        folder = write_assignment(tmp_path, HEAD + items, name)
        shutil.copy(EXAMPLE, folder / "my_exercise.py")
    assignment = load_assignment(folder)
    points = made.compare(assignment, range(5), NBGRADER).values()  # stops where they differ
    points = dict(zip(map(made.kind_of, range(5)), points, strict=True))
    most = sum(item.points for item in assignment.code)
    assert points["right"] == points["odd"] == most
    assert 0 < points["wrong"] < most
    assert points["partial"] == most - assignment.code[-1].points


SAMPLE = load_assignment(made.SAMPLE)


def test_points_that_differ_are_noticed(monkeypatch, tmp_path):
    scores = {("student-00", "kv-cache-part-1"): 3}
    monkeypatch.setattr(made, "by_us", lambda *a: scores)
    monkeypatch.setattr(made, "by_nbgrader", lambda *a: dict(scores))
    assert made.compare(SAMPLE, [0], tmp_path) == {"student-00": 3}
    monkeypatch.setattr(made, "by_nbgrader", lambda *a: {("student-00", "kv-cache-part-1"): 2})
    with pytest.raises(RuntimeError, match=r"kv-cache-part-1'\): \(3, 2\)"):
        made.compare(SAMPLE, [0], tmp_path)


def test_a_wrong_answer_of_the_class_loses_exactly_one_part():
    exercise = next(iter(SAMPLE.exercises().values()))
    parts = examine_source(exercise, made.one_part_wrong(exercise)).parts
    assert list(parts.values()).count(False) == 1
