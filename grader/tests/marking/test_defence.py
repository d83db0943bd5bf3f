"""A defence asks whoever handed in about that answer; only a right choice earns its points."""

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from assignment_files import HEAD, fill, sources, write_assignment

from attention_course.exercises import exercise_named
from attention_course.exercises.defend import TOO_ALIKE, question_of
from course_grader.marking.defence import Defence, defences
from course_grader.marking.graded import StudentGrade
from course_grader.marking.one_student import Job, Sandboxes, Setup, grade_job
from course_grader.reports.class_report import as_html, class_report
from course_grader.reports.feedback import page
from course_grader.reports.gradebook import as_csv, grade_rows
from course_grader.sandbox.limits import Limits
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import student_notebook

STEPS = exercise_named("four-steps")
ITEM = '\n[[items]]\nexercise = "four-steps"\npoints = 10\ndefend = 3\n'
CALL = 'defend(four_steps, "four-steps", me="", choice=0)'
ADA = CALL.replace('""', '"ada"').replace("0)", "1)")
SOURCE = f"import numpy as np\n\n\n{STEPS.solution}"
# In which nothing can be changed as the course changes it.
PLAIN = """import numpy as np


def four_steps(q, k, v):
    scores = k.dot(q)
    exps = np.e ** scores.__sub__(sorted(scores).pop())
    weights = exps.__truediv__(np.add.reduce(exps))
    return tuple([weights, weights.dot(v)])
"""


@pytest.fixture
def graded(tmp_path):
    """Grades a hand-in of an answer, and of a call of ``defend``."""
    assignment = load_assignment(write_assignment(tmp_path, HEAD + ITEM))
    path = tmp_path / "steps.ipynb"
    path.write_text(student_notebook(assignment), encoding="utf-8")
    assert f"# DEFEND four-steps\n{CALL}" in sources(path)
    setup = Setup(assignment, b"5" * 32, Limits(), "course")

    def grade(answer, call=CALL, called=""):
        notebook = json.loads(fill(path, {"four-steps": answer}))
        for cell in notebook["cells"]:
            text = "".join(cell["source"])
            if text.startswith("# DEFEND"):
                cell["source"] = text.replace(CALL, call)
        data = json.dumps(notebook).encode()
        with Sandboxes(setup.limits) as sandboxes:
            found = grade_job(Job("ada", data, called=called), setup, sandboxes)
        [code] = found.code
        assert code.max_points == assignment.max_points == 13
        assert sum(part["max"] for part in code.parts.values()) == 13
        assert sum(part["points"] for part in code.parts.values()) == code.points
        return code

    return grade


def test_the_right_choice_earns_its_points_and_another_none(graded):
    asked = question_of(STEPS, SOURCE, "ada")
    right = asked.choices.index(asked.right) + 1
    code = graded(SOURCE, ADA.replace("1)", f"{right})"))
    assert (code.verdict, code.points) == ("OK", 13)
    change = f"ada was asked: in line {asked.line} of four_steps {asked.what}; "
    said = code.parts["defence"]["asked"]
    assert said.startswith(f"{change}right: {asked.right}. With the inputs of “")
    assert said in code.message
    other = right % len(asked.choices) + 1
    code = graded(SOURCE, ADA.replace("1)", f"{other})"))
    assert (code.verdict, code.points) == ("OK", 10)
    words = f"{change}chosen: {asked.choices[other - 1]}; right: {asked.right}. With"
    assert code.parts["defence"]["asked"].startswith(words)
    assert not code.parts["defence"]["oral"]


def test_whoever_handed_in_is_asked_whatever_name_was_typed(graded):
    theirs, mine = (question_of(STEPS, SOURCE, name) for name in ("ben b.", "ada"))
    right = theirs.choices.index(theirs.right) + 1
    copied = ADA.replace('"ada"', '"Ben B."').replace("1)", f"{right})")
    code = graded(SOURCE, copied)
    assert code.points == 10
    change = f"in line {mine.line} of four_steps {mine.what}; right: {mine.right}"
    said = f"answered as Ben B.; a person asks ada: {change}"
    assert code.parts["defence"]["asked"] == said
    assert code.parts["defence"]["oral"]
    assert graded(SOURCE, copied, called="b, ben").points == 13  # what a platform calls ada


@pytest.mark.parametrize(
    ("answer", "call", "points", "words", "oral"),
    [
        (SOURCE, CALL, 10, "nothing was chosen", False),
        (SOURCE, "defend(", 10, "nothing was chosen", False),
        (SOURCE, ADA.replace("1)", "0)"), 10, "nothing was chosen", False),
        (SOURCE, ADA.replace("1)", "True)"), 10, "nothing was chosen", False),
        (SOURCE, ADA.replace("1)", "99)"), 10, "chosen: nothing that is; right", False),
        (SOURCE, ADA + "#" * 2000, 10, "nothing was chosen", False),
        (SOURCE, CALL.replace("0)", "1)"), 10, "without a name; a person asks ada", True),
        (PLAIN, ADA, 10, "no change that was tried fails a property; a person asks", True),
        (f"exec({SOURCE!r})\nfour_steps = four_steps", ADA, 10, "a person asks ada", True),
        (SOURCE.replace("exps /", "1 /"), ADA, None, "where all properties hold", False),
    ],
)
def test_without_a_right_choice_nothing_is_earned(graded, answer, call, points, words, oral):
    code = graded(answer, call)
    assert words in code.message
    assert code.points == points if points else code.points < 10
    assert code.parts["defence"]["oral"] == oral


@pytest.mark.parametrize("ends", ["four_steps = _impl", "def four_steps(*a): return _impl(*a)"])
def test_who_only_calls_another_function_is_asked_about_that(graded, ends):
    helped = f"{SOURCE.replace('def four_steps', 'def _impl')}\n\n\n{ends}\n"
    asked = question_of(STEPS, helped, "ada")
    code = graded(helped, ADA.replace("1)", f"{asked.choices.index(asked.right) + 1})"))
    assert code.points == 13
    assert f"in line {asked.line} of _impl {asked.what}; right" in code.message


def test_a_helper_in_another_cell_changes_nothing_in_the_question():
    helped = f"import numpy as np\n\n\ndef half(x):\n    return x / 2\n\n\n{STEPS.solution}"
    for me in ("ada", "ben", "cem"):
        one, other = (question_of(STEPS, source, me) for source in (SOURCE, helped))
        assert replace(one, source="") == replace(other, source="")


def test_every_page_with_points_says_who_was_asked_what(graded):
    codes = [graded(SOURCE, ADA), graded(PLAIN, ADA)]
    grades = [
        StudentGrade(name, "a", "A", "", "OK", code=[code])
        for name, code in zip(("ada", "ben"), codes, strict=True)
    ]
    for grade in grades:
        asked = grade.code[0].parts["defence"]["asked"]
        for text in (
            page(grade),
            as_html(class_report(grades, {})),
            as_csv(grade_rows(grades, {})),
        ):
            assert asked[1:200].replace('"', '""') in html.unescape(text).replace('"', '""')
    sections = {one.title: one for one in class_report(grades, {}).sections}
    assert [row[0] for row in sections["Ask in person"].rows] == ["ben"]
    assert [row[0] for row in sections["Defences"].rows] == ["ada"]


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


def test_where_questions_are_too_much_alike_none_is_for_points(tmp_path):
    assert "window-mask" in TOO_ALIKE
    item = ITEM.replace("four-steps", "window-mask").replace("points = 10\n", "")
    with pytest.raises(ValueError, match="defend is not offered for window-mask"):
        load_assignment(write_assignment(tmp_path, HEAD + item))


def test_the_reference_names_the_exercises_without_a_defence():
    text = Path("book/teach/reference.md").read_text(encoding="utf-8")
    told = text.split("`defend` is refused:\n")[1].split(".\n")[0]
    assert set(re.findall(r"`([a-z-]+)`", told)) == TOO_ALIKE
