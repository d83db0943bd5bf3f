"""Cells as people type and paste them are graded as a notebook and the page judge them."""

import json

import pytest
from pasted_cells import CELLS, FOUR, MARKED, TWO, WRONG, above

from course_grader.marking.defence import defences
from course_grader.marking.engine import grade_answer
from course_grader.submissions.intake import read_submission

SECRET, STUDENT = b"\3" * 32, "ada"


def notebook(*sources):
    cells = [{"cell_type": "code", "metadata": {}, "source": one} for one in sources]
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}).encode()


def graded(sandbox, *sources):
    """Return the points of an answer and all that is noted of it."""
    came = read_submission(notebook(*sources), {FOUR.slug: FOUR.target})
    source = came.answers[FOUR.slug]
    done = grade_answer(sandbox, FOUR, source, SECRET, STUDENT)
    assert came.looks == {}
    return done, "\n".join([*came.notes, *done.left_out])


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_earns_what_check_calls_right(sandbox, name):
    case = CELLS[name]
    done, noted = graded(sandbox, case.source)
    assert done.points == done.max_points * case.right, done.message
    said = case.says if case.notes is None else case.notes
    assert said in noted
    assert noted == "" or said or not case.right


@pytest.mark.parametrize("name", TWO)
def test_of_two_cells_the_marked_one_counts_with_what_it_uses(sandbox, name):
    for cells in (TWO[name], TWO[name][::-1]):
        done, noted = graded(sandbox, *cells)
        assert done.points == done.max_points
        assert ("four_steps too" in noted) is (WRONG in cells)


def test_a_marked_cell_is_found_by_its_pasted_first_line():
    for first in ("#\u00a0EXERCISE\u00a0four-steps", ">>> # EXERCISE four-steps"):
        source = MARKED.replace(FOUR.marker, first).replace("    ", "\u00a0" * 4)
        came = read_submission(notebook(source), {FOUR.slug: FOUR.target})
        assert came.looks == {}
        compile(came.answers[FOUR.slug], "answer", "exec")


def test_a_future_import_below_a_magic_is_still_the_first():
    came = read_submission(
        notebook(above("%matplotlib inline", "from __future__ import annotations")),
        {FOUR.slug: FOUR.target},
    )
    compile(came.answers[FOUR.slug], "answer", "exec")


@pytest.mark.parametrize("beside", ["%time {}", "{}\n%pip list", "\u00a0\n{}", "{}\r\n1"])
def test_a_defence_is_read_so_too(beside):
    call = beside.format('defend(four_steps, "four-steps", me="ada", choice=2)')
    found = defences(notebook(f"# DEFEND four-steps\n{call}"))
    assert {slug: (one.me, one.choice) for slug, one in found.items()} == {
        "four-steps": ("ada", 2)
    }
