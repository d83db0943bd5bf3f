"""What a change touches is chosen by the words of its files, the nearest first."""

import json

import pytest
import quick

NOTEBOOK = {"cells": [{"cell_type": "code", "source": ["import numpy\n", "CODE"]}]}
FILES = {
    "src/pack/maths/soft.py": "def soft(): ...\nSHARP = 2\ndef _hidden(): ...\n",
    "src/pack/dials/dial/widget.py": "class Dial: ...\n",
    "src/pack/dials/dial/index.js": "",
    "src/pack/data/__init__.py": "",
    "src/pack/data/runs.json": "{}",
    "src/attention_course/exercises/bank/one-row/probes.py": "",
    "tests/maths/test_soft.py": "from pack.maths import soft\n",
    "tests/maths/test_hard.py": "from pack.maths.soft import SHARP\n",
    "tests/test_dial.py": "from pack.dials import Dial\n",
    "tests/test_runs.py": 'from pack.data import read\nread("runs")\n',
    "tests/test_none.py": "import os, _hidden, index\n",
    "tests/exercises/test_bank.py": "from pack.bank import load\n",
    "tests/browser/test_page.py": "from pack.maths import soft\n",
    "tests/repository/test_repository.py": "",
    "book/soft.ipynb": "from pack.maths import soft",
    "book/other.ipynb": "import pack",
}


@pytest.fixture
def tree(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".ipynb":
            text = json.dumps(NOTEBOOK).replace("CODE", text)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.gate("make quick: what a change touches", "a test that names what changed")
@pytest.mark.parametrize(
    ("changed", "touched"),
    [
        (
            "src/pack/maths/soft.py",
            ["tests/maths/test_soft.py", "book/soft.ipynb", "tests/maths/test_hard.py"],
        ),
        ("src/pack/dials/dial/index.js", ["tests/test_dial.py"]),
        ("src/pack/data/runs.json", ["tests/test_runs.py"]),
        (
            "src/attention_course/exercises/bank/one-row/probes.py",
            ["tests/exercises/test_bank.py"],
        ),
        ("book/other.ipynb", ["book/other.ipynb"]),
        ("tests/test_none.py", ["tests/test_none.py"]),
    ],
)
def test_a_change_touches_what_names_it_nearest_first(tree, changed, touched):
    always = ["tests/repository/test_repository.py"]
    assert quick.choose(tree, [changed]) == (touched + always, [])
    own = [name for name in touched if name == changed]
    kept, left = quick.choose(tree, [changed], most=1)
    assert (kept, left) == (touched[:1] + always, touched[1:])
    assert quick.choose(tree, [changed], most=0)[0] == own + always


def test_here_a_function_reaches_its_tests_and_its_chapters(capsys):
    kept, left = quick.choose(quick.ROOT, ["src/attention_course/reference/softmax.py"])
    assert kept[0] == "tests/reference/test_softmax.py"
    assert "book/transformer/scaling.ipynb" in kept + left
    listed = [*quick.ALWAYS, *(name for names in quick.MORE.values() for name in names)]
    assert all((quick.ROOT / name).is_file() for name in listed)
    assert quick.main(["--list", "book/transformer/scaling.ipynb"]) == 0
    said = capsys.readouterr().out
    assert "chosen:\n  book/transformer/scaling.ipynb\n" in said
    assert "tests/notebooks/test_stored_notebooks.py" in said
