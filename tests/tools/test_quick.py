"""What a change touches is chosen, by imports and files, and nothing else; on made-up trees."""

import json

import pytest
import quick
from dependencies import ROOT, Repository

NOTEBOOK = {"cells": [{"cell_type": "code", "source": ["%matplotlib inline\n", "CODE"]}]}
FILES = {
    "conftest.py": "",
    "src/pack/__init__.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
    "    from pack.maths import *\n"
    "def __getattr__(name): ...\n",
    "src/pack/maths/__init__.py": "from .soft import soft\nfrom .hard import hard\n",
    "src/pack/maths/soft.py": "def soft(): ...\n",
    "src/pack/maths/hard.py": "from .soft import soft\ndef hard(): ...\n",
    "src/pack/alone.py": "",
    "src/pack/dials/__init__.py": "_WHERE = {'Dial': 'dial'}\ndef __getattr__(name): ...\n",
    "src/pack/dials/dial/__init__.py": "from .widget import Dial\n",
    "src/pack/dials/dial/widget.py": "class Dial: ...\n",
    "src/pack/dials/dial/index.js": "",
    "src/pack/data/__init__.py": "def read(name): ...\n",
    "src/pack/data/recorded/runs.json": "{}",
    "src/pack/bank/__init__.py": "def load(folder): ...\n",
    "src/pack/bank/one-row/rows.py": "",
    "src/pack/bank/one-row/rows.toml": "",
    "tools/helper.py": "from rules.alone import rule\n",
    "tools/rules/__init__.py": "",
    "tools/rules/alone.py": "import pack.alone\n",
    "tests/conftest.py": "import helper\n",
    "tests/maths/test_soft.py": "from pack.maths import soft\n",
    "tests/maths/test_hard.py": "from pack.maths.hard import hard\n",
    "tests/test_lazy.py": "import pack as p\np.hard()\n",
    "tests/test_dial.py": "from pack.dials import Dial\n",
    "tests/test_runs.py": 'from pack.data import read\nread("runs")\n',
    "tests/test_bank.py": "from pack.bank import load\n",
    "tests/test_none.py": "import os\n",
    "grader/src/marks/__init__.py": "from .points import points\n",
    "grader/src/marks/points.py": "from pack.bank import load\n",
    "grader/tests/conftest.py": "",
    "grader/tests/test_points.py": "import marks\n\nmarks.points\n",
    "tests/browser/test_page.py": "from pack.maths import soft\n",
    "book/soft.ipynb": "from pack.maths import soft",
    "book/other.ipynb": "import pack",
}


@pytest.fixture
def tree(tmp_path):
    """A small repository on the disk; git knows nothing of it."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".ipynb":
            text = json.dumps(NOTEBOOK).replace("CODE", text)
        path.write_text(text, encoding="utf-8")
    return Repository(tmp_path, FILES)


def chosen(tree, *changed, most=10**9):
    return [choice.name for choice in quick.choose(tree, changed, most)[0]]


@pytest.mark.parametrize(
    ("changed", "touched"),
    [
        (
            "src/pack/maths/soft.py",
            {"tests/maths/test_soft.py", "tests/maths/test_hard.py", "tests/test_lazy.py",
             "book/soft.ipynb"},
        ),
        ("src/pack/maths/hard.py", {"tests/maths/test_hard.py", "tests/test_lazy.py"}),
        ("src/pack/dials/dial/index.js", {"tests/test_dial.py"}),
        ("src/pack/data/recorded/runs.json", {"tests/test_runs.py"}),
        (
            "src/pack/bank/one-row/rows.py",
            {"tests/test_bank.py", "grader/tests/test_points.py"},
        ),
        (
            "src/pack/bank/one-row/rows.toml",
            {"tests/test_bank.py", "grader/tests/test_points.py"},
        ),
        ("grader/src/marks/points.py", {"grader/tests/test_points.py"}),
        ("grader/tests/conftest.py", {"grader/tests/test_points.py"}),
        ("book/other.ipynb", {"book/other.ipynb"}),
        ("tests/test_none.py", {"tests/test_none.py"}),
    ],
)  # fmt: skip
def test_a_change_touches_what_rests_on_it_and_nothing_else(tree, changed, touched):
    assert set(chosen(tree, changed)) == touched


def test_what_every_test_is_set_up_with_touches_every_test(tree):
    every = {name for name in FILES if quick.runnable(name) and name.startswith("tests/")}
    assert set(chosen(tree, "src/pack/alone.py")) == every
    assert chosen(tree, "src/pack/alone.py") == chosen(tree, "tools/helper.py")


@pytest.mark.gate("make quick: what a change touches", "a module that a test imports at length")
def test_a_test_is_no_longer_chosen_when_the_import_between_goes(tree):
    before = chosen(tree, "src/pack/maths/soft.py")
    path = tree.root / "src/pack/maths/hard.py"
    path.write_text("def hard(): ...\n")
    after = chosen(Repository(tree.root, FILES), "src/pack/maths/soft.py")
    assert set(before) - set(after) == {"tests/maths/test_hard.py", "tests/test_lazy.py"}


def test_it_says_by_which_way_and_takes_the_nearest_first(tree):
    kept, left = quick.choose(tree, ["src/pack/maths/soft.py"], 3)
    assert [choice.why for choice in kept] == ["by way of src/pack/maths/soft.py"] * 2 + [
        "by way of src/pack/maths/hard.py, src/pack/maths/soft.py"
    ]
    assert len(left) == 1
    assert "left to make test" in quick.report(kept, left)


def test_what_changed_itself_is_always_run(tree):
    assert chosen(tree, "book/other.ipynb", most=0) == ["book/other.ipynb"]


@pytest.fixture(scope="module")
def here():
    return Repository()


def test_in_this_repository_a_function_reaches_its_tests_and_its_chapters(here):
    kept, left = quick.choose(here, ["src/attention_course/reference/softmax.py"], 0)
    names = {choice.name for choice in kept + left}
    assert {"tests/reference/test_softmax.py", "book/transformer/scaling.ipynb"} <= names
    assert not any("theme" in name for name in names)


def test_a_plan_of_slides_reaches_its_tests(here):
    kept, _ = quick.choose(here, ["book/slides/why/rnn-bottleneck.toml"], 1000)
    assert {*quick.OF_SLIDES} <= {choice.name for choice in kept}


def test_every_file_that_is_always_run_is_there():
    assert all(
        (ROOT / name).is_file()
        for name in (*quick.ALWAYS, *quick.OF_CHAPTERS, *quick.OF_SLIDES)
    )


def test_the_command_says_what_it_would_run(here, monkeypatch, capsys):
    monkeypatch.setattr(quick, "Repository", lambda: here)
    assert quick.main(["--list", "book/transformer/scaling.ipynb"]) == 0
    said = capsys.readouterr().out
    assert "book/transformer/scaling.ipynb: it changed" in said
    assert "tests/notebooks/test_stored_notebooks.py" in said
