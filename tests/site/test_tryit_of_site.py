"""What the page's Python is made of: enough for every exercise, and no secret."""

import io
import subprocess
import sys
import zipfile

from attention_course.exercises import all_exercises, exercise_named
from attention_course.exercises.in_page import run
from attention_course.site.tryit import PACKAGE, course_files, course_zip, served

ROOT = PACKAGE.parents[1]
COURSE = course_zip(course_files())
ALONE = """
import sys
sys.path.insert(0, sys.argv[1])
import attention_course
from attention_course.exercises import all_exercises
from attention_course.exercises.in_page import run
assert attention_course.__file__.startswith(sys.argv[1])
slugs = [slug for slug, one in all_exercises().items() if one.uses == "numpy"]
said = []
for slug in slugs:
    run("raise NotImplementedError", slug, False, said.append)
print(len(slugs), "torch" in sys.modules, "plotly" in sys.modules)
"""


def test_it_is_the_public_source_and_nothing_of_an_assignment():
    with zipfile.ZipFile(io.BytesIO(COURSE)) as file:
        names = file.namelist()
        for name in names:
            assert file.read(name) == (PACKAGE.parent / name).read_bytes()
    assert {name.split("/")[0] for name in names} == {"attention_course"}
    folders = {name.split("/")[1] for name in names if name.count("/") > 1}
    assert folders == {"reference", "exercises"}
    manifests = [path.read_text("utf-8") for path in ROOT.glob("assignments/*/assignment.toml")]
    answers = [text.partition("model_answer")[2] for text in manifests]
    parts = [line.strip() for text in answers for line in text.splitlines() if len(line) > 40]
    inside = b"".join((PACKAGE.parent / name).read_bytes() for name in names)
    assert not [part for part in parts if part.encode() in inside]
    assert parts


def test_the_same_source_gives_the_same_bytes_of_ten_megabytes_at_most():
    assert course_zip(course_files()) == COURSE
    assert sum(map(len, served(COURSE).values())) < 9_500_000


def test_it_is_all_that_the_exercises_import(tmp_path):
    with zipfile.ZipFile(io.BytesIO(COURSE)) as file:
        file.extractall(tmp_path)
    command = [sys.executable, "-c", ALONE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    bank = (one.uses == "numpy" for one in all_exercises().values())
    assert done.stdout.split() == [f"{sum(bank)}", "False", "False"], done.stderr


def test_a_cell_is_run_as_in_a_notebook_and_checked_under_its_name():
    said: list[str] = []
    exercise = exercise_named("four-steps")
    assert run(f"print('a')\n{exercise.solution}\nfour_steps", exercise.slug, True, said.append)
    text = "".join(said)
    assert text.startswith("a\n<function four_steps at ")
    assert text.endswith("four-steps: right. All 6 properties hold.\n")
    assert not run("1 +", exercise.slug, True, said.append)
    assert 'File "<your code>", line 1' in said[-1]
