"""make thorough is due when what it looks at changed, and in every clone alike."""

import json
import re
import subprocess

import pytest
import thorough
from dependencies import ROOT, Repository

FILES = {
    "Makefile": "thorough:\n",
    "src/attention_course/site/__init__.py": "",
    "src/attention_course/reference/softmax.py": "",
    "tests/site/helper.py": "",
    "tests/site/test_small.py": f"import helper\npytestmark = {thorough.MARK}\n",
    "tests/site/test_other.py": "",
    "src/attention_course/data/dates.py": "HERE = __file__\n",
    "book/index.md": "# Book",
    "book/one.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": ["words"], "metadata": {}},
                {"cell_type": "code", "source": ["1 + 1"], "metadata": {}, "outputs": []},
            ],
            "metadata": {},
        }
    ),
}

# What the grader's tests rest on, and what they do not.
GRADERS = {
    "grader/src/course_grader/cli.py": 1,
    "grader/tests/sandbox/test_walls.py": 1,
    "tools/said.py": 1,
    "src/attention_course/exercises/protocol.py": 1,
    "src/attention_course/exercises/bank/four-steps/mistakes.toml": 1,
    "src/attention_course/layers/attention.py": 0,
    "tests/layers/test_attention.py": 0,
}


def git(folder, *arguments):
    subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A small repository in which the thorough tests have passed."""
    folder = tmp_path / "tree"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git(tmp_path, "init", "-q", "tree")
    git(folder, "add", ".")
    monkeypatch.setitem(thorough.RECORDS, "thorough", tmp_path / "thorough.json")
    monkeypatch.setattr(thorough.digest, "__defaults__", (folder,))
    assert thorough.main([]) == 1
    assert thorough.main(["--passed"]) == 0
    assert thorough.main([]) == 0
    return folder


@pytest.mark.gate("make thorough is called when due", "a changed file of what it looks at")
@pytest.mark.parametrize(
    ("name", "due"),
    [
        ("src/attention_course/site/__init__.py", 1),
        ("tests/site/helper.py", 1),
        ("tests/site/test_small.py", 1),
        ("tests/site/test_other.py", 0),
        ("src/attention_course/reference/softmax.py", 0),
        ("src/attention_course/data/dates.py", 1),
        ("book/index.md", 0),
    ],
)
def test_it_is_due_when_what_it_looks_at_changed(tree, name, due):
    with (tree / name).open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    assert thorough.main([]) == due


@pytest.mark.gate(
    "make thorough is called when due", "a notebook's code, a file of the package"
)
@pytest.mark.parametrize(
    ("place", "value", "due"),
    [
        (("cells", 1, "source"), ["2 + 2"], 1),
        (("cells", 1, "metadata"), {"tags": ["hide-input"]}, 1),
        (
            ("metadata", "widgets"),
            {"s": {"state": {"a": {"state": {"_anywidget_id": "b"}}}}},
            1,
        ),
        (("cells", 0, "source"), ["other words"], 0),
        (("cells", 1, "outputs"), [{"text": "2"}], 0),
    ],
)
def test_of_a_notebook_its_code_and_widgets_count(tree, place, value, due):
    path = tree / "book/one.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    inside = notebook
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert thorough.main([]) == due


def test_a_file_that_comes_or_goes_in_the_package_counts(tree):
    name = "src/attention_course/reference/fresh.py"
    (tree / name).write_text("", encoding="utf-8")
    git(tree, "add", name)
    assert thorough.main([]) == 1


def test_a_clone_finds_the_same_hash_and_what_git_does_not_know_does_not_count(tree, tmp_path):
    git(tree, "-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "all")
    git(tmp_path, "clone", "-q", str(tree), "clone")
    (tree / "src/attention_course/site/build.log").write_text("not tracked")
    assert thorough.digest("thorough", tmp_path / "clone") == thorough.digest("thorough", tree)


def test_here_it_looks_at_its_own_tests_and_at_what_they_build():
    names = thorough.looks_at(Repository())
    assert {"tests/site/test_site_build.py", "tests/test_wheel.py"} <= {*names}
    assert {"book/index.ipynb", "src/attention_course/environment.py"} <= {*names}
    assert "src/attention_course/reference/softmax.py" not in names
    for folder in thorough.FOLDERS:
        assert any(name.startswith(folder) for name in names), folder


def test_ci_asks_after_the_gate_and_make_thorough_writes_down_that_it_passed():
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert re.search(r"^make test\n.*thorough\.py.*\|\| make thorough$", ci, re.M | re.S)
    assert re.search(r"^.*thorough\.py grader-test \|\| make grader-test$", ci, re.M)
    for name, words in (("thorough", ""), ("grader-test", "grader-test ")):
        target = (ROOT / "Makefile").read_text(encoding="utf-8").split(f"\n{name}:")[1]
        assert target.split("\n\n")[0].endswith(f"tools/thorough.py {words}--passed")


@pytest.fixture
def graded(tree, monkeypatch):
    """The same repository with a grader whose tests have passed."""
    for name in GRADERS:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("import said\n" if "/test_" in name else "", encoding="utf-8")
    git(tree, "add", ".")
    monkeypatch.setattr(thorough, "ROOT", tree)
    monkeypatch.setitem(thorough.RECORDS, "grader-test", tree / "grader/passed.json")
    assert thorough.main(["grader-test"]) == 1
    assert thorough.main(["grader-test", "--passed"]) == 0
    git(tree, "add", ".")
    assert thorough.main(["grader-test"]) == 0
    return tree


@pytest.mark.gate("make grader-test is called when due", "grader, protocol, bank or a helper")
@pytest.mark.parametrize(("name", "due"), GRADERS.items())
def test_the_graders_tests_are_due_when_what_they_look_at_changed(graded, name, due):
    (graded / name).write_text("# changed\n", encoding="utf-8")
    assert thorough.main(["grader-test"]) == due


def test_a_clone_without_the_grader_has_nothing_to_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(thorough.RECORDS, "grader-test", tmp_path / "grader/passed.json")
    assert thorough.main(["grader-test"]) == 0
    assert "there is no grader/ here" in capsys.readouterr().out
