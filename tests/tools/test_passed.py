"""What looks at something that did not change does not run, and nothing else is left out."""

import json
import shutil
import subprocess
import sys

import pytest
import quick
from inputs import ROOT, Tree, built
from passed import PAGE

NOTEBOOK = {"cells": [{"cell_type": "code", "source": ["import pack as p\n", "p.soft(0)"]}]}
FILES = {
    "conftest.py": "import sys\nsys.path[:0] = ['tools', 'src']\npytest_plugins = ['passed']\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p no:cacheprovider'\n",
    "src/pack/__init__.py": "from pack.maths import soft\n_WHERE = {'read': 'data'}\n"
    "def __getattr__(name):\n    from pack.data import read\n    return read\n",
    "src/pack/maths/__init__.py": "from pack.maths.soft import soft\n",
    "src/pack/maths/soft.py": "def soft(x):\n    return 1\n",
    "src/pack/maths/hard.py": "def hard(x):\n    return 2\n",
    "src/pack/data/__init__.py": "from pathlib import Path\n\n\ndef read(name):\n"
    "    return Path(__file__).with_name('runs').joinpath(name).read_text()\n",
    "src/pack/data/runs/one.txt": "1",
    "src/pack/dial/__init__.py": "class Dial: ...\n",
    "src/pack/dial/index.js": "",
    "tests/helper.py": "",
    "tests/test_soft.py": "import pack\n\n\ndef test_it():\n    assert pack.soft(0) == 1\n",
    "tests/test_hard.py": "import helper\nfrom pack.maths.hard import hard\n\n\n"
    "def test_it():\n    assert hard(0) == 2\n",
    "tests/test_read.py": "import pack\n\n\ndef test_it():\n    assert pack.read('one.txt')\n",
    "tests/test_dial.py": "from pack.dial import Dial\n\n\ndef test_it():\n    assert Dial()\n",
    "tests/test_hidden.py": "PLACE = 'src/pack/da' + 'ta/runs/one.txt'\n\n\ndef test_it():\n"
    "    with open(PLACE) as file:\n        assert file.read()\n",
    "tests/test_starts.py": "import subprocess\n\n\ndef test_it():\n"
    "    subprocess.run(['true'], check=True)\n",
    "book/one.ipynb": json.dumps(NOTEBOOK),
}
TESTS = {name for name in FILES if "test_" in name}
WHOLE = {"tests/test_hidden.py", "tests/test_starts.py"}


@pytest.fixture
def tree(tmp_path):
    """A small repository with the tools."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "tools").mkdir()
    for name in ("inputs.py", "passed.py"):
        shutil.copy(ROOT / "tools" / name, tmp_path / "tools")
    (tmp_path / ".gitignore").write_text("__pycache__/\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def looking_at(tree, name):
    found = Tree(tree)
    return {test for test in found.tests() if name in found.inputs(test)}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("src/pack/maths/soft.py", {"tests/test_soft.py", "book/one.ipynb"}),
        ("src/pack/maths/hard.py", {"tests/test_hard.py"}),
        ("src/pack/data/runs/one.txt", {"tests/test_read.py"}),
        ("src/pack/dial/index.js", {"tests/test_dial.py"}),
        ("tests/helper.py", {"tests/test_hard.py"}),
        ("tests/test_soft.py", {"tests/test_soft.py"}),
        ("conftest.py", TESTS | {"book/one.ipynb"}),
        ("pyproject.toml", TESTS | {"book/one.ipynb"}),
    ],
)
def test_what_looks_at_a_file_is_found_in_the_text(tree, name, expected):
    assert looking_at(tree, name) == expected
    before = {test: Tree(tree).digest(test) for test in TESTS}
    with (tree / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    after = {test: Tree(tree).digest(test) for test in TESTS}
    assert {test for test in TESTS if before[test] != after[test]} == expected & TESTS


def run(tree, *more):
    """Run the gate; return its exit status, how many tests ran, and the record."""
    (tree / "book/one.ipynb").unlink(missing_ok=True)  # nbval is not there
    command = [sys.executable, "-m", "pytest", "-v", "--passed", "unit", *more]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    ran = done.stdout.count("::test_it PASSED") + done.stdout.count("::test_it FAILED")
    path = tree / "tests/passed.json"
    return done.returncode, ran, json.loads(path.read_text())["unit"] if path.exists() else {}


def test_what_passed_does_not_run_again_until_what_it_looks_at_changes(tree):
    code, ran, record = run(tree)
    assert (code, ran) == (0, 6)
    assert record.keys() == TESTS
    assert {name for name, (sha, _) in record.items() if sha[0] == "*"} == WHOLE
    assert run(tree) == (0, 0, record)
    (tree / "src/pack/maths/soft.py").write_text("def soft(x):\n    return 3\n")
    code, ran, after = run(tree)
    assert (code, ran) == (1, 1 + len(WHOLE))
    assert after.keys() == TESTS - {"tests/test_soft.py"}
    assert run(tree, "-k", "soft") == (4, 0, after)
    assert run(tree, "tests/test_soft.py") == (4, 0, after)
    (tree / "src/pack/maths/soft.py").write_text(FILES["src/pack/maths/soft.py"])
    assert run(tree)[2].keys() == TESTS


def test_a_page_has_a_record_of_its_own_where_each_page_is_looked_at():
    assert PAGE.search("test_it[book/why/by-hand.html-360]")[1] == "book/why/by-hand.html"
    assert PAGE.search("test_it[360-book/index.html]")[1] == "book/index.html"
    site = {
        f"{folder}{name}": name
        for name in "ab"
        for folder in ("book/", "_static/course/cells/")
    }
    site |= {"_static/site.css": "", "searchindex.js": "", "_static/course/widgets/17.js": ""}
    mine = built(site, "book/a", "links to book/b; runs ../_static/course/cells/a and 17")
    others = {"book/b", "_static/course/cells/b", "searchindex.js"}
    assert mine.keys() == site.keys() - others
    name = "tests/browser/test_site_pages.py"
    assert "test_nothing_is_amiss" in Tree().each_page(name)


def test_quick_takes_the_nearest_and_keeps_to_its_time(tree, monkeypatch):
    monkeypatch.setattr(quick, "ALWAYS", ())
    changed = ["src/pack/maths/soft.py"]
    assert quick.choose(Tree(tree), changed) == (["tests/test_soft.py", "book/one.ipynb"], [])
    kept = quick.choose(Tree(tree), changed, seconds=quick.UNKNOWN + quick.COLLECTED)
    assert kept == (["tests/test_soft.py"], ["book/one.ipynb"])
    assert quick.choose(Tree(tree), ["tests/test_soft.py"], 0)[0] == ["tests/test_soft.py"]
