"""A class of thirty that hands in what classes hand in, and what each should get."""

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from attention_course.exercises import examine_source, exercise_named
from course_grader.submissions.assignment import Assignment, load_assignment
from course_grader.submissions.notebook import ANSWER, student_notebook

MANIFEST = """\
title = "Steps and softmax"
due = 2026-10-05T23:59:00+02:00
late_percent_per_day = 10
seed = "autumn"

[[items]]
exercise = "four-steps"
points = 10

[[items]]
exercise = "stable-softmax"

[[items]]
written = "why-scale"
title = "Why divide?"
prompt = "Say in three sentences why."
points = 4
rubric = [["names the variance", 2], ["says what a softmax then does", 2]]
model_answer = "The variance of a sum of d_k products is d_k."
"""
STEPS, SOFTMAX = (exercise_named(name) for name in ("four-steps", "stable-softmax"))
LEAVES = "import os\nos._exit(0)\n"
PATCHES = """\
import numpy as np
np.allclose = lambda *a, **k: True
np.testing.assert_allclose = lambda *a, **k: None


def four_steps(q, k, v):
    return np.zeros(len(k)), np.zeros(v.shape[1])
"""
READS = """\
from pathlib import Path


def four_steps(q, k, v):
    return Path("/etc/passwd").read_text()
"""
FLOODS = """\
def four_steps(q, k, v):
    while True:
        print("x" * 100_000)
"""


@dataclass(frozen=True)
class Case:
    """What a student hands in, and the points and the verdict that it should get."""

    steps: str | None
    softmax: str | None
    points: tuple[float, float]
    verdict: str
    written: str = ""


def wrong(exercise, part):
    """Return the named wrong answer that begins so."""
    found = [w for w in exercise.wrong if w.name.startswith(part)]
    assert len(found) == 1
    return exercise.source_of(found[0])


def reached(source):
    """Return the points of an answer to the first item, whose points count twice."""
    return 2 * examine_source(STEPS, source).points


@cache
def cases() -> dict[str, Case]:
    """Return the class, by student; None stands for a cell that is gone."""
    both = (STEPS.solution, SOFTMAX.solution)
    honest = {f"honest-{i}": Case(*both, (10, 7), "OK", f"Because of {i}.") for i in range(10)}
    odd = {
        f"odd-{i}": Case(STEPS.source_of(answer), SOFTMAX.solution, (10, 7), "OK", "Odd.")
        for i, answer in enumerate(STEPS.right[:5])
    }
    unstable = wrong(STEPS, "the largest score is not")
    swapped = wrong(STEPS, "the context comes first")
    unsummed = wrong(STEPS, "the scores are returned in")
    right = SOFTMAX.solution
    others = {
        "wrong-unstable-1": Case(unstable, right, (reached(unstable), 7), "WRONG", "Hm."),
        "wrong-unstable-2": Case(unstable, right, (reached(unstable), 7), "WRONG"),
        "wrong-order": Case(swapped, right, (reached(swapped), 7), "WRONG", "I return."),
        "wrong-scores": Case(unsummed, right, (reached(unsummed), 7), "WRONG", "=1+1"),
        "wrong-syntax": Case("def four_steps(q, k, v:\n", right, (0, 7), "WRONG"),
        "partial-steps": Case(STEPS.solution, SOFTMAX.stub, (10, 0), "MISSING"),
        "partial-softmax": Case(STEPS.stub, right, (0, 7), "MISSING"),
        "missing-softmax": Case(STEPS.solution, None, (10, 0), "MISSING"),
        "missing-both": Case(None, None, (0, 0), "MISSING", "Only words."),
        "hostile-exit": Case(LEAVES, right, (0, 7), "WRONG"),
        "hostile-patch": Case(PATCHES, right, (0, 7), "WRONG"),
        "hostile-read": Case(READS, right, (0, 7), "WRONG"),
        "hostile-flood": Case(FLOODS, right, (0, 7), "WRONG", "<script>alert(1)</script>"),
        "broken-json": Case(None, None, (0, 0), "MALFORMED"),
        "broken-empty": Case(None, None, (0, 0), "MALFORMED"),
    }
    return honest | odd | others


def assignment_in(folder: Path) -> Assignment:
    """Write the class's assignment into a folder and return it."""
    folder.mkdir(parents=True)
    (folder / "assignment.toml").write_text(MANIFEST)
    return load_assignment(folder)


def notebook_of(assignment: Assignment, student: str, case: Case) -> str:
    """Return the released notebook with a student's answers in it."""
    notebook = json.loads(student_notebook(assignment, student))
    answers = {"four-steps": case.steps, "stable-softmax": case.softmax}
    kept = []
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in answers:
            if answers[name] is None:
                continue
            cell["source"] = f"# EXERCISE {name}\n{answers[name]}"
        elif name == "why-scale" and case.written:
            cell["source"] = "".join(cell["source"]).replace(ANSWER, case.written)
        kept.append(cell)
    return json.dumps(notebook | {"cells": kept})


def hand_in(assignment: Assignment, folder: Path, students=None) -> None:
    """Write what the class hands in, a folder a student; honest-9 handed in twice."""
    for student, case in cases().items():
        if students is not None and student not in students:
            continue
        path = folder / student / f"{assignment.name}.ipynb"
        path.parent.mkdir(parents=True)
        broken = {"broken-json": '{"cells": [', "broken-empty": ""}
        path.write_text(broken.get(student) or notebook_of(assignment, student, case))
        if student == "broken-empty":
            path.write_text("")
        if student == "honest-9":
            old = path.with_name("first-try.ipynb")
            old.write_text(notebook_of(assignment, student, cases()["wrong-order"]))
            os.utime(old, (1, 1))


def times_in(path: Path) -> Path:
    """Write when the class handed in: honest-8 two days late, the others in time."""
    lines = [f"{s},2026-10-05T20:00" for s in cases() if s not in ("honest-8", "odd-0")]
    path.write_text("\n".join(["student,time", *lines, "honest-8,2026-10-07T12:00+02:00"]))
    return path
