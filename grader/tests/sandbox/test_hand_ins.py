"""Whole notebooks of somebody who wants points that are not due, through ``grade``."""

import json
import re
from pathlib import Path

import pytest
from assignment_files import HEAD, fill, write_assignment
from hostile_bank import FOLDER, rows, whole

import attention_course
from attention_course.exercises import all_exercises
from attention_course.exercises.defend import question_of
from attention_course.exercises.examine import public_calls, right_outcome
from course_grader.cli.command import main
from course_grader.marking.graded import Book
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import student_notebook

pytestmark = pytest.mark.slow
EXERCISES = all_exercises()
STEPS = EXERCISES["four-steps"]
PACKAGE = str(Path(attention_course.__file__).parent)
# The first line of a row has its points, "at most" if fewer are right too.
ROWS = {
    head.split(": ")[0]: (head.split(": ")[1], code)
    for path in sorted((FOLDER / "hand_ins").glob("*.py"))
    for head, code in rows(path)
    if head.partition(": ")[0].partition(" of ")[2] in ("", *EXERCISES)
}
SLUGS = {name.partition(" of ")[2] for name in ROWS} - {""}
ITEMS = [f'\n[[items]]\nexercise = "{slug}"\n' for slug in (STEPS.slug, *sorted(SLUGS))]
UNREADABLE = {
    "empty": b"",
    "a-picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "a-paper": b"%PDF-1.7\nfour_steps: 5 of 5",
    "half": b'{"cells": [{"cell_type": "code", "source": "# EXERCISE four-st',
    "a-number": b"5",
}


def public_results() -> str:
    """Return, as code, the right results for the public inputs of the first exercise."""
    found = {}
    for probe in STEPS.probes:
        for call in public_calls(STEPS, probe):
            right = right_outcome(STEPS, probe, [call]).values
            found[round(float(call.args[0].sum()), 6)] = [x.tolist() for x in right]
    return repr(found)


def defended(code: str, source: str, student: str) -> str:
    """Return how an answer is defended: with a name's right choice, none, or one too many."""
    as_whom = re.match("# defends as ?(.*)", code)
    me, choice = student, 9 if code.startswith("# defends blindly") else 0
    if as_whom:
        me = student if as_whom[1] == "itself" else as_whom[1]
        asked = question_of(STEPS, source, me)
        choice = 1 if isinstance(asked, str) else asked.choices.index(asked.right) + 1
    return f'me="{me}", choice={choice}'


def notebook_of(path: Path, name: str, code: str) -> str:
    """Return the notebook of a row: its first piece in the marked cell, others beside it."""
    student, _, slug = name.partition(" of ")
    exercise = EXERCISES[slug or STEPS.slug]
    code = code.replace("@public@", public_results()).replace("@package@", PACKAGE)
    plain = re.sub("^# defends.*\n", "", code)
    marked, *others = re.split(r"^# ---- (\w+)\n", plain, flags=re.M)
    source = whole(marked, exercise)
    notebook = json.loads(fill(path, {exercise.slug: source} if marked.strip() else {}))
    cells, chosen = notebook["cells"], defended(code, source, student)
    for cell in cells:
        text = "".join(cell["source"])
        cell["source"] = text.replace('me="", choice=0', chosen)
    for place, piece in zip(*[iter(others)] * 2, strict=True):
        more = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        more |= {"source": whole(piece, exercise), "id": f"more-{place}"}
        cells.insert(0 if place == "first" else len(cells), more)
    return json.dumps(notebook)


@pytest.fixture(scope="module")
def earned(tmp_path_factory):
    """The grades of a class in which each row is a student."""
    folder = tmp_path_factory.mktemp("class")
    place = write_assignment(folder, f"{HEAD}{ITEMS[0]}defend = 3\n{''.join(ITEMS[1:])}")
    path = folder / "plain.ipynb"
    path.write_text(student_notebook(load_assignment(place)), encoding="utf-8")
    files = {name: notebook_of(path, name, code).encode() for name, (_, code) in ROWS.items()}
    for name, data in (files | UNREADABLE).items():
        one = folder / "sub" / name.partition(" of ")[0] / "hw.ipynb"
        one.parent.mkdir(parents=True)
        one.write_bytes(data)
    out = folder / "out"
    words = ["grade", folder / "sub", "--assignment", place, "--out", out]
    assert main([str(word) for word in words]) == 0
    return {grade.student: grade for grade in Book(out).grades()}


@pytest.mark.parametrize("name", ROWS)
def test_a_hand_in_earns_what_is_due(earned, name):
    grade, (due, _) = earned[name.partition(" of ")[0]], ROWS[name]
    points = sum(item.points for item in grade.code)
    told = [item.message for item in grade.code if item.verdict != "MISSING"], grade.reading
    assert grade.verdict != "GRADER_ERROR", grade.reason
    most = float(due.removeprefix("at most "))
    assert (points <= most) if due.startswith("at most") else (points == most), told


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_cannot_be_read_earns_nothing_and_is_no_zero(earned, name):
    assert earned[name].verdict == "MALFORMED"
    assert sum(item.points for item in earned[name].code) == 0


def test_the_rows_are_many():
    assert len(ROWS) >= 60
