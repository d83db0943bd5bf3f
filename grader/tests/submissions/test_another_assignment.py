"""A notebook of another assignment is not graded: it is no answer, and so no zero."""

import json

import pytest
from tools_of_students import answered, code, colab, released, sample, source, words

from course_grader.cli.command import main
from course_grader.marking.graded import Book
from course_grader.submissions.intake import read_submission
from course_grader.submissions.notebook import student_notebook
from course_grader.verdicts import Verdict

ASKED, OTHER = sample(), sample("efficiency")


def read(notebook):
    targets = {slug: exercise.target for slug, exercise in ASKED.exercises().items()}
    return read_submission(
        json.dumps(notebook).encode(),
        targets,
        [item.id for item in ASKED.written],
        student_notebook(ASKED).encode(),
    )


@pytest.mark.parametrize("handed_in", [answered, released])
@pytest.mark.parametrize("tool", [lambda notebook: notebook, colab])
def test_another_assignments_notebook_is_not_read_and_says_what_it_asks(handed_in, tool):
    came = read(tool(handed_in(OTHER)))
    assert came.verdict == Verdict.MALFORMED
    asks = [cell.split()[-1] for cell in _first_lines(OTHER) if cell.startswith("# EXERCISE")]
    assert came.reason.startswith("nothing of this assignment is in the file: it asks for ")
    assert all(one in came.reason for one in asks[:5])
    assert not came.answers
    assert not came.written


def _first_lines(assignment):
    return [source(cell).split("\n")[0] for cell in released(assignment)["cells"]]


def test_a_notebook_of_nothing_known_is_not_read():
    notebook = released(ASKED) | {"cells": [words("# Notes"), code("x = 1")]}
    assert read(notebook).reason == "nothing of this assignment is in the file"


@pytest.mark.parametrize("kept", range(len(released(ASKED)["cells"])))
def test_one_cell_of_the_assignment_is_enough_to_be_read(kept):
    cell = released(ASKED)["cells"][kept]
    came = read(released(ASKED) | {"cells": [cell]})
    every = source(cell).startswith(("try:", "import"))  # the cell that sets up the course
    assert (came.verdict == Verdict.MALFORMED) == every


def test_an_answer_alone_is_enough_to_be_read():
    [(slug, exercise), *_] = ASKED.exercises().items()
    came = read(released(ASKED) | {"cells": [code(exercise.solution)]})
    assert came.verdict != Verdict.MALFORMED
    assert exercise.target in came.answers[slug]


def test_a_class_that_hands_in_another_assignment_gets_no_zero(tmp_path, capsys):
    for student, assignment in (("ada", ASKED), ("ben", OTHER)):
        path = tmp_path / "in" / student / "x.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(released(assignment)))
    out = tmp_path / "out"
    asked = ["--assignment", str(ASKED.folder), "--out", str(out)]
    assert main(["grade", str(tmp_path / "in"), *asked]) == 0
    assert "1 file could not be read: see Who needs a look" in capsys.readouterr().out
    table = (out / "grades.csv").read_text(encoding="utf-8-sig")
    [ben] = [line for line in table.splitlines() if line.startswith('"ben"')]
    assert "nothing of this assignment is in the file" in ben
    [grade] = [one for one in Book(out).grades() if one.student == "ben"]
    assert all(item.unread for item in grade.code)
