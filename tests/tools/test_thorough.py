"""make thorough is due when what it looks at changed, and in every clone alike."""

import json
import re
import subprocess

import pytest
import thorough
from thorough import ROOT

CODE = {"cell_type": "code", "source": ["1 + 1"], "metadata": {}, "outputs": []}
WORDS = {"cell_type": "markdown", "source": ["words"], "metadata": {}}
NOTEBOOK = {"cells": [WORDS, CODE], "metadata": {}}
FILES = {
    "Makefile": "thorough:\n",
    "src/attention_course/site/__init__.py": "",
    "src/attention_course/reference/softmax.py": "",
    "src/attention_course/data/dates.py": "HERE = __file__\n",
    "src/attention_course/exercises/bank/four-steps/mistakes.toml": "",
    "tests/site/helper.py": "",
    "tests/site/test_small.py": f"pytestmark = {thorough.MARK}\n",
    "tests/site/test_other.py": "",
    "tools/stamp.py": "",
    "grader/src/course_grader/cli.py": "",
    "grader/tests/sandbox/test_walls.py": "",
    "book/index.md": "# Book",
    "book/one.ipynb": json.dumps(NOTEBOOK),
}


def git(folder, *arguments):
    subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path):
    """A small repository in which all of them have passed."""
    folder = tmp_path / "tree"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git(tmp_path, "init", "-q", "tree")
    git(folder, "add", ".")
    for what in thorough.RECORDS:
        assert thorough.main([what], folder) == 1
        assert thorough.main([what, "--passed"], folder) == 0
    git(folder, "add", ".")
    assert due(folder) == (0, 0)
    return folder


def due(folder):
    return tuple(thorough.main([what], folder) for what in ("thorough", "grader-test"))


@pytest.mark.gate("make thorough and grader-test are called when due", "a file they look at")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("src/attention_course/site/__init__.py", (1, 0)),
        ("src/attention_course/reference/softmax.py", (0, 0)),
        ("src/attention_course/data/dates.py", (1, 0)),
        ("src/attention_course/exercises/bank/four-steps/mistakes.toml", (1, 1)),
        ("tests/site/helper.py", (1, 0)),
        ("tests/site/test_small.py", (1, 0)),
        ("tests/site/test_other.py", (0, 0)),
        ("tools/stamp.py", (1, 1)),
        ("grader/src/course_grader/cli.py", (0, 1)),
        ("grader/tests/sandbox/test_walls.py", (0, 1)),
        ("book/index.md", (0, 0)),
    ],
)
def test_they_are_due_when_what_they_look_at_changed(tree, name, expected):
    with (tree / name).open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    assert due(tree) == expected


@pytest.mark.gate("make thorough is called when due", "a notebook's code, or its widgets")
@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        (("cells", 1, "source"), ["2 + 2"], 1),
        (("cells", 1, "metadata"), {"tags": ["hide-input"]}, 1),
        (("metadata", "widgets"), {"s": {"state": {"a": {"state": {"_anywidget_id": 1}}}}}, 1),
        (("cells", 0, "source"), ["other words"], 0),
        (("cells", 1, "outputs"), [{"text": "2"}], 0),
    ],
)
def test_of_a_notebook_its_code_and_widgets_count(tree, place, value, expected):
    notebook = json.loads(FILES["book/one.ipynb"])
    inside = notebook
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    (tree / "book/one.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    assert due(tree) == (expected, 0)


def test_a_file_that_comes_or_goes_in_the_package_counts(tree):
    name = "src/attention_course/reference/fresh.py"
    (tree / name).write_text("", encoding="utf-8")
    assert due(tree) == (0, 0)  # git does not know it
    git(tree, "add", name)
    assert due(tree) == (1, 0)


def test_a_clone_without_a_grader_has_nothing_to_run(tree):
    git(tree, "rm", "-rqf", "grader")
    assert due(tree) == (0, 0)


def test_ci_asks_after_the_gate_and_make_thorough_writes_down_that_it_passed():
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert re.search(r"^make test\n.*thorough\.py.*\|\| make thorough$", ci, re.M | re.S)
    assert re.search(r"^.*thorough\.py grader-test \|\| make grader-test$", ci, re.M)
    for name, words in (("thorough", ""), ("grader-test", "grader-test ")):
        target = (ROOT / "Makefile").read_text(encoding="utf-8").split(f"\n{name}:")[1]
        assert target.split("\n\n")[0].endswith(f"tools/thorough.py {words}--passed")
    for places in thorough.LOOKS_AT.values():
        assert [p for p in places if not (ROOT / p).exists() and p != "requirements"] == []
