"""A defence marks itself: the question of the student's own answer, the choice, the points."""

import json

import pytest
from assignment_files import HEAD, fill, sources, write_assignment

from attention_course.exercises import exercise_named
from attention_course.exercises.defend import NONE, question_of
from course_grader.marking.defence import Defence, defences
from course_grader.marking.one_student import Job, Sandboxes, Setup, grade_job
from course_grader.sandbox.limits import Limits
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import student_notebook

STEPS = exercise_named("four-steps")
ITEM = '\n[[items]]\nexercise = "four-steps"\npoints = 10\ndefend = 3\n'
CALL = 'defend(four_steps, "four-steps", me="", choice=0)'
SOURCE = f"import numpy as np\n\n\n{STEPS.solution}"
# In which nothing can be changed as the course changes it.
PLAIN = """import numpy as np


def four_steps(q, k, v):
    scores = k.dot(q)
    exps = np.exp(scores.__sub__(scores.max()))
    weights = exps.__truediv__(exps.sum())
    return weights, weights.dot(v)
"""


@pytest.fixture
def graded(tmp_path):
    """Grades a hand-in of an answer, and of a call of ``defend``."""
    assignment = load_assignment(write_assignment(tmp_path, HEAD + ITEM))
    path = tmp_path / "steps.ipynb"
    path.write_text(student_notebook(assignment), encoding="utf-8")
    assert f"# DEFEND four-steps\n{CALL}" in sources(path)
    setup = Setup(assignment, b"5" * 32, Limits(), "course")

    def grade(answer, call=CALL):
        notebook = json.loads(fill(path, {"four-steps": answer}))
        for cell in notebook["cells"]:
            text = "".join(cell["source"])
            if text.startswith("# DEFEND"):
                cell["source"] = text.replace(CALL, call)
        data = json.dumps(notebook).encode()
        with Sandboxes(setup.limits) as sandboxes:
            found = grade_job(Job("ada", data), setup, sandboxes)
        [code] = found.code
        assert code.max_points == assignment.max_points == 13
        assert sum(part["max"] for part in code.parts.values()) == 13
        assert sum(part["points"] for part in code.parts.values()) == code.points
        return code

    return grade


def test_the_right_choice_earns_its_points_and_another_none(graded):
    asked = question_of(STEPS, SOURCE, "ada")
    right = asked.choices.index(asked.right) + 1
    code = graded(SOURCE, CALL.replace('""', '"ada"').replace("0)", f"{right})"))
    assert (code.verdict, code.points) == ("OK", 13)
    assert f"right: {asked.right}." in code.message
    other = right % len(asked.choices) + 1
    code = graded(SOURCE, CALL.replace('""', '" ada"').replace("0)", f"{other})"))
    assert (code.verdict, code.points) == ("OK", 10)
    assert code.parts["defence"] == {"points": 0, "max": 3, "holds": False}
    assert f"chosen: {asked.choices[other - 1]}; right: {asked.right}." in code.message


@pytest.mark.parametrize(
    ("answer", "call", "points", "words"),
    [
        (SOURCE, CALL, 10, "says no name"),
        (SOURCE, "defend(", 10, "says no name"),
        (SOURCE, CALL.replace('""', '"ada"'), 10, "nothing was chosen"),
        (SOURCE, CALL.replace('""', '"ada"').replace("0)", "True)"), 10, "says no name"),
        (PLAIN, CALL.replace('""', '"ada"'), 13, "no change that was tried fails"),
        (SOURCE.replace("exps /", "1 /"), CALL, None, "where all properties hold"),
    ],
)
def test_without_a_choice_or_a_right_answer_there_is_nothing(
    graded, answer, call, points, words
):
    code = graded(answer, call)
    assert words in code.message
    assert code.points == points if points else code.points < 10


def test_a_helper_in_another_cell_changes_nothing_in_the_question():
    helped = f"import numpy as np\n\n\ndef half(x):\n    return x / 2\n\n\n{STEPS.solution}"
    for me in ("ada", "ben", "cem"):
        one, other = (question_of(STEPS, source, me) for source in (SOURCE, helped))
        assert (one.before, one.after, one.right) == (other.before, other.after, other.right)
    assert one.right != NONE


def test_what_a_notebook_holds_of_defences_is_read_whatever_it_is():
    def held(*texts):
        cells = [{"cell_type": "code", "source": text} for text in texts]
        cells = [{"cell_type": "markdown", "source": ""}, *cells]
        return defences(json.dumps({"nbformat": 4, "cells": cells}).encode())

    call = '# DEFEND a-b\ndefend(f, "a-b", me="ada", choice=2)'
    assert held(call) == {"a-b": Defence("ada", 2)}
    assert held(list(call)) == {"a-b": Defence("ada", 2)}
    assert held(call[8:], "# DEFEND x\ndefend(", "# DEFEND y\ndefend(me=f(), choice=1.5)") == {}


@pytest.mark.parametrize("entry", ["defend = -1", 'defend = "2"', "defend = true"])
def test_points_of_a_defence_that_are_none_are_refused(tmp_path, entry):
    with pytest.raises(ValueError, match="item 1: defend must be"):
        load_assignment(write_assignment(tmp_path, HEAD + ITEM.replace("defend = 3", entry)))
