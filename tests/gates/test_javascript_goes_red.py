"""The JavaScript tests, with one number or one sign wrong in a copy."""

import json
import shutil

import pytest
from gate_tools import run
from rules.notebooks import ROOT

WIDGETS = "src/attention_course/widgets"


@pytest.fixture
def copy(tmp_path):
    """The widgets' modules, their tests and their fixtures."""
    shutil.copy(ROOT / "package.json", tmp_path)
    for folder in (WIDGETS, "tests/js"):
        ignored = shutil.ignore_patterns("*.py", "*.css", "__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    return tmp_path


def _node(copy):
    return run("node", "--test", "tests/js/attention.test.mjs", cwd=copy)


def test_typescript_and_node_have_something_to_look_at():
    listed = run("node_modules/.bin/tsc", "-p", "tsconfig.json", "--listFilesOnly", cwd=ROOT)
    own = [line for line in listed.stdout.splitlines() if "node_modules" not in line]
    assert len(own) >= 50
    tests = [*(ROOT / "tests/js").glob("*.test.mjs"), *(ROOT / WIDGETS).glob("*/tests/*.mjs")]
    assert len(tests) >= 25


def test_the_sound_copy_passes(copy):
    assert _node(copy).returncode == 0


@pytest.mark.gate("widgets equal reference", "one weight in a fixture off by 1e-12")
def test_a_wrong_number_in_a_fixture_is_noticed(copy):
    path = copy / "tests/js/fixtures/attention.json"
    stored = json.loads(path.read_text())
    row = next(row for row in stored["softmax"] if max(row["softmax"]) > 0.5)
    at = row["softmax"].index(max(row["softmax"]))
    row["softmax"][at] *= 1 + 1e-12
    path.write_text(json.dumps(stored))
    assert _node(copy).returncode != 0


@pytest.mark.gate("the widgets' mathematics", "a wrong sign in the softmax's Jacobian")
def test_a_wrong_sign_in_the_code_is_noticed(copy):
    path = copy / WIDGETS / "kit" / "attention.js"
    sound = path.read_text()
    wrong = sound.replace(": -a * b", ": a * b", 1)
    assert wrong != sound
    path.write_text(wrong)
    assert _node(copy).returncode != 0
