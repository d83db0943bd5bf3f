"""Code of any shape is graded, or refused in words, within what the kernel allows a grader."""

import json
import subprocess
import sys

import pytest
from assignment_files import HEAD, fill, write_assignment

from attention_course.exercises import exercise_named
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import student_notebook

STEPS = exercise_named("four-steps")
MOST = 49_000


def full(piece):
    return piece * (MOST // len(piece))


NAMES = [f"n{number}" for number in range(6000)]
# What stands below a right answer, whether that is right all the same, and what is said. Four
# spaces in front put it inside the function.
SHAPES = {
    "x = " + "+".join("1" * 2900): (True, "nested too deeply"),
    "x = " + "+".join("1" * 24_000): (False, "RecursionError"),
    "    " + "\n    ".join(["k + k"] * 2000): (True, "longer than 20000"),
    "    " + "\n    ".join(["k + k"] * 1000): (True, "fewer than 3 outcomes|fails a property"),
    "x = " + "(" * 180 + "1" + ")" * 180: (True, "was asked"),
    "x = " + "(" * 20_000 + "1" + ")" * 20_000: (False, "nested parentheses"),
    "x = " + "[" * 90 + "]" * 90: (True, "was asked"),
    "x = " + "lambda: " * 900 + "1": (True, "was asked|nested too deeply"),
    "x = " + "1 if 0 else " * 2900 + "1": (True, "longer than"),
    "x = lambda: a" + ".b" * 2900: (True, "nested too deeply"),
    'x = f"' + "{1}" * 3000 + '"': (True, "was asked"),
    full("@d\n") + "def g(): pass": (True, "longer than"),
    "x = '\0'": (False, "null bytes"),
    "x = " + "9" * MOST: (False, "Exceeds the limit"),
    "x = 0x" + "f" * MOST: (True, "longer than"),
    "x = lambda: " + "[i for i in " * 60 + "[]" + "]" * 60: (True, "was asked"),
    "x = {" + "1:{}," * 3000 + "}": (True, "was asked"),
    "x = " + "-" * 2900 + "1": (True, "nested too deeply"),
    "x = " + "-" * MOST + "1": (None, "to be parsed"),
    "x = " + "'a' + " * 900 + "''": (True, "was asked"),
    "\n".join(" " * n + "if 1:" for n in range(99)) + f"\n{' ' * 99}x = 1": (True, "was asked"),
    "if 0: pass\n" + "elif 0: x = 1\n" * 1200: (True, "nested too deeply"),
    "x = lambda: f" + "()" * 2900: (True, "nested too deeply"),
    full("a = 1; "): (True, "longer than"),
    full("x = [0]; x[0] = 1\n"): (True, "longer than"),
    # Two cells: of 6,000 names, made by one statement in another cell, each is used.
    "\n".join(NAMES): (True, "longer than"),
}
GRADE = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
from pathlib import Path
from course_grader.marking.one_student import Job, Sandboxes, Setup, grade_job
from course_grader.sandbox.limits import Limits
from course_grader.submissions.assignment import load_assignment
setup = Setup(load_assignment(Path(sys.argv[1])), b"5" * 32, Limits(), "course")
with Sandboxes(setup.limits) as sandboxes:
    for text in json.load(sys.stdin):
        done = grade_job(Job("ada", text.encode()), setup, sandboxes)
        print(done.to_json().replace("\\n", " "))
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The grade of each shape, made by one process that has 40 seconds of computing for all."""
    folder = tmp_path_factory.mktemp("shapes")
    item = '\n[[items]]\nexercise = "four-steps"\npoints = 10\ndefend = 3\n'
    place = write_assignment(folder, HEAD + item)
    path = folder / "steps.ipynb"
    path.write_text(student_notebook(load_assignment(place), "ada"), encoding="utf-8")
    files = []
    for shape in SHAPES:
        answer = f"import numpy as np\n\n\n{STEPS.solution}\n\n{shape}\n"
        if shape.startswith("    "):
            inside = STEPS.solution.replace("    return", f"{shape}\n    return")
            answer = f"import numpy as np\n\n\n{inside}"
        notebook = json.loads(fill(path, {"four-steps": answer}))
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"]).replace("choice=0", "choice=1")
        more = {"cell_type": "code", "source": " = ".join([*NAMES, "1"])}
        notebook["cells"].insert(0, more | {"metadata": {}, "outputs": [], "id": "more"})
        files.append(json.dumps(notebook))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", GRADE, str(place)],
        input=json.dumps(files),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip(SHAPES, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape[:30])
def test_each_shape_has_its_grade_and_nothing_fails(graded, shape):
    right, words = SHAPES[shape]
    [code] = graded[shape]["code"]
    said = graded[shape]["reason"] + code["message"]
    assert any(one in said.replace("\n  ", " ") for one in words.split("|")), said
    assert graded[shape]["verdict"] == {True: "OK", False: "WRONG", None: "MALFORMED"}[right]
    assert code["points"] in ((10, 13) if right else (0,))
    earned = code["parts"].get("defence", {}).get("points", 0)
    assert earned in ((0, 3) if "was asked" in words else (0,))
