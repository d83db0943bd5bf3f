"""The capstone: parts, and the whole that calls them, each with points of its own."""

import json
import re
from pathlib import Path

import pytest

from attention_course.exercises import exercise_named, in_page
from attention_course.exercises.protocol import as_text, own_exercise
from course_grader.marking.one_student import Job, Setup, grade_job
from course_grader.sandbox.limits import Limits
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import student_notebook

CAPSTONE = load_assignment(Path(__file__).parents[3] / "assignments/capstone")
WHOLE, HEADS = "whole-translator", "attend-in-heads"
FULL = {item.slug: item.points for item in CAPSTONE.code}
RIGHT = {slug: one.solution for slug, one in CAPSTONE.exercises().items()}
# The whole's own cell: the parts are in theirs.
RIGHT[WHOLE] = (
    "import numpy as np\n\n\ndef translate" + RIGHT[WHOLE].partition("def translate")[2]
)


class Boxes:
    """The one sandbox, as the grader asks for it."""

    def __init__(self, box):
        self.box = box

    def of(self, uses):
        return self.box


@pytest.fixture
def graded(sandbox):
    def grade(**changed):
        notebook = json.loads(student_notebook(CAPSTONE))
        answers = RIGHT | {slug.replace("_", "-"): text for slug, text in changed.items()}
        for cell in notebook["cells"]:
            first = "".join(cell["source"]).split("\n")[0]
            slug = first.removeprefix("# EXERCISE ")
            if slug in answers:
                cell["source"] = f"{first}\n{answers[slug]}"
        setup = Setup(CAPSTONE, b"5" * 32, Limits(), "course")
        grade = grade_job(Job("ada", json.dumps(notebook).encode()), setup, Boxes(sandbox))
        return {one.slug: one for one in grade.code}

    return grade


def points(found):
    return {slug: one.points for slug, one in found.items()}


def test_who_has_all_right_gets_all_points(graded):
    found = graded()
    assert points(found) == FULL
    assert "graded with" not in found[WHOLE].message


def inside(text):
    """The right heads with some lines at their beginning."""
    head, _, rest = RIGHT[HEADS].partition("    def heads")
    return f"{head}    {text}\n\n    def heads{rest}"


HERE = "attend-in-heads in encoder block 1, call 1 there: "


@pytest.mark.parametrize(
    ("heads", "words"),
    [
        (RIGHT[HEADS].replace(" / np.sqrt(q.shape[-1])", ""), f"{HERE}it departs"),
        (inside("while True: pass"), f"{HERE}raised TimeoutError: it still ran after"),
        (inside("raise KeyError('W')"), f"{HERE}raised KeyError: 'W'"),
        (inside("x_q += 1"), f"{HERE}the call overwrote its argument 1"),
        (
            RIGHT[HEADS].replace("joined @ W_o,", "joined @ W_o[:, 1:],"),
            f"{HERE}expected shape",
        ),
        (exercise_named(HEADS).stub, ""),
    ],
    ids=["unscaled", "endless", "raising", "overwriting", "narrow", "missing"],
)
def test_a_wrong_part_costs_its_own_points_and_is_named_with_its_block_and_call(
    graded, heads, words
):
    found = graded(attend_in_heads=heads)
    lost = FULL[HEADS] - found[HEADS].points
    assert lost
    assert points(found) == FULL | {HEADS: FULL[HEADS] - lost}
    said = found[WHOLE].message.splitlines()[0]
    assert said.startswith(f"{WHOLE}: graded with the course's {HEADS}.")
    assert words in said


def test_a_wrong_whole_loses_its_own_points_alone(graded):
    whole = RIGHT[WHOLE].replace("look(y, y, block, before)", "look(y, y, block)")
    found = graded(whole_translator=whole)
    assert points(found) == FULL | {WHOLE: FULL[WHOLE] - 6}
    assert "graded with" not in found[WHOLE].message


def test_the_offline_file_checks_the_whole_with_the_parts_beside_it(monkeypatch):
    """What it saves is that notebook, filled in, and is graded as above."""
    exercise, said = CAPSTONE.exercises()[WHOLE], []
    monkeypatch.setitem(in_page.ASKED, WHOLE, own_exercise(as_text(exercise)))
    for heads in (RIGHT[HEADS], RIGHT[HEADS].replace(" / np.sqrt(q.shape[-1])", "")):
        parts = [*RIGHT.values()][:-1]
        texts = json.dumps([heads if text == RIGHT[HEADS] else text for text in parts])
        in_page.run(RIGHT[WHOLE], WHOLE, True, said.append, beside=texts)
    right, wrong = re.findall(r"right on the|\d of 2 properties hold", "".join(said))
    assert (right, wrong) == ("right on the", "0 of 2 properties hold")


@pytest.mark.parametrize("parts", ['["kv-cache"]', '["whole-translator"]', "[3]"])
def test_parts_that_are_not_asked_above_are_refused(tmp_path, parts):
    folder = tmp_path / "capstone"
    folder.mkdir()
    for path in CAPSTONE.folder.iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    manifest = folder / "assignment.toml"
    text = manifest.read_text("utf-8")
    before = text[text.index("parts = ") : text.index("]", text.index("parts = ")) + 1]
    manifest.write_text(text.replace(before, f"parts = {parts}"), encoding="utf-8")
    with pytest.raises(ValueError, match="item 5: parts must name exercises of the bank"):
        load_assignment(folder)
