"""A notebook is graded as the one its student was given, or not at all."""

import json

import pytest
from assignment_files import HEAD, write_assignment

from attention_course.exercises import exercise_named
from course_grader.marking.one_student import Job, Sandboxes, Setup, grade_job
from course_grader.sandbox.limits import Limits
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import solution_notebook
from course_grader.verdicts import Verdict

VARIED = """
[[items]]
exercise = "four-steps"
variants = ["plain", "base-two+context-first"]
"""
TWO = """
[[items]]
exercise = "stable-softmax"
variants = ["blocked"]

[[items]]
exercise = "scaled-dot-product-attention"
variants = ["blocked"]
"""


@pytest.fixture
def setup(tmp_path):
    assignment = load_assignment(write_assignment(tmp_path, HEAD + VARIED))
    return Setup(assignment, b"secret", Limits(), "course")


def students(assignment):
    """Return two students who were given different variants."""
    found = {}
    for name in "abcdefghij":
        found.setdefault(assignment.variants(name)["four-steps"], name)
    return found.values()


def test_a_right_notebook_under_another_students_name_is_not_graded(setup):
    one, other = students(setup.assignment)
    data = solution_notebook(setup.assignment, one).encode()
    with Sandboxes(setup.limits) as rooms:
        mine, theirs = (grade_job(Job(name, data), setup, rooms) for name in (one, other))
    assert mine.verdict == Verdict.OK
    assert theirs.verdict == Verdict.GRADER_ERROR
    assert "--students" in theirs.reason
    assert "'base-two+context-first'" in theirs.reason
    assert "'plain'" in theirs.reason


def test_all_solutions_of_a_notebook_stay_right_when_all_its_cells_have_run(tmp_path):
    assignment = load_assignment(write_assignment(tmp_path, HEAD + TWO))
    cells = json.loads(solution_notebook(assignment))["cells"]
    session = {}
    for cell in cells:
        source = "".join(cell["source"])
        if source.startswith("# EXERCISE"):
            exec(source, session)
    from attention_course.exercises.examine import examine

    for item in assignment.code:
        exercise = exercise_named(f"{item.slug}:blocked")
        assert examine(exercise, {exercise.target: session[exercise.target]}).right
