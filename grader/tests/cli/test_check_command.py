"""What a student types in a terminal says what the notebook's check cells say."""

import pytest
from assignment_files import CODE, HEAD, WRITTEN, fill, write_assignment

from attention_course.exercises import exercise_named
from course_grader.cli.command import main
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import student_notebook

STEPS = exercise_named("four-steps")
BLOCKED = '\n[[items]]\nexercise = "stable-softmax"\nvariants = ["blocked"]\n'


def test_answers_are_checked_in_their_variants_until_all_are_right(tmp_path, capsys):
    home = write_assignment(tmp_path, HEAD + CODE + BLOCKED + WRITTEN)
    (home / "secret").write_text("5ec2e7" * 10 + "0123")
    path, answers = tmp_path / "two.ipynb", {}
    path.write_text(student_notebook(load_assignment(home)))
    blocked = exercise_named("stable-softmax:blocked").solution
    for more, status, said in (
        ({}, 1, "0 of 2 are right"),
        ({"stable-softmax": blocked}, 1, "four-steps: not written yet"),
        ({"four-steps": STEPS.source_of(STEPS.wrong[0])}, 1, STEPS.wrong[0].hint.split()[0]),
        ({"four-steps": STEPS.solution}, 0, "2 of 2 are right"),
    ):
        answers |= more
        path.write_text(fill(path, answers))
        assert main(["check", str(path)]) == status
        assert said in capsys.readouterr().out


NOTEBOOK = '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "SOURCE"}]}'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "download it again"),
        (NOTEBOOK.replace("SOURCE", "x = 1"), "it has no cell such as check("),
        (NOTEBOOK.replace("SOURCE", 'check(f, \\"nothing\\")'),
         "the course has no exercise nothing"),
    ],
)  # fmt: skip
def test_a_notebook_that_asks_nothing_is_named(tmp_path, capsys, content, said):
    path = tmp_path / "x.ipynb"
    path.write_text(content)
    assert main(["check", str(path)]) == 2
    error = capsys.readouterr().err
    assert str(path) in error
    assert said in error
