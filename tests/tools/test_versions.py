"""make versions: everything where torch is to be had, the rest elsewhere, and red is red."""

import os
import shutil
import subprocess
import sys

import pytest
from notebook_rules import ROOT

MAKE = """#!/usr/bin/env bash
echo "${*: 1}" >> made
[[ "$*" != *"${FAILS:-nothing}"* ]]
"""


@pytest.fixture
def versions(tmp_path):
    """Call tools/versions where two Pythons are found; for the second torch has no build."""
    tools = {
        "find_python": "echo 3.12 /a/python; echo 3.13 /b/python",
        "environment": 'echo "$VENV $*" >> made; [[ "$VENV" != *3.13 ]] || exit "${TORCH:-3}"',
    }
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools/versions", tmp_path / "tools")
    for name, text in tools.items():
        (tmp_path / "tools" / name).write_text(f"#!/usr/bin/env bash\n{text}\n")
    (tmp_path / "make").write_text(MAKE)
    for path in (tmp_path / "make", *(tmp_path / "tools").iterdir()):
        path.chmod(0o755)

    def call(**more):
        path = f"{tmp_path}:{os.environ['PATH']}"
        done = subprocess.run(
            ["tools/versions"],
            cwd=tmp_path,
            env={"PATH": path} | more,
            capture_output=True,
            text=True,
        )
        return done, (tmp_path / "made").read_text().splitlines()

    return call


def test_each_version_has_its_own_environment_and_what_can_be_run_is(versions):
    done, made = versions()
    assert done.returncode == 0, done.stderr
    one, two = (
        f"--no-print-directory VENV=.venv-{version} PYTHON=/{place}/python"
        for version, place in [("3.12", "a"), ("3.13", "b")]
    )
    assert made == [
        *(f"{one} book", ".venv-3.12 torch", f"{one} test"),
        *(f"{two} book", ".venv-3.13 torch", f"{two} plain"),
    ]
    assert done.stdout.splitlines()[-2:] == [
        "Python 3.12: everything is green",
        "Python 3.13: what needs no torch is green",
    ]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"FAILS": "a/python book"}, "Python 3.12: the book cannot be built"),
        ({"FAILS": "a/python test"}, "Python 3.12: everything is RED"),
        ({"FAILS": "plain"}, "Python 3.13: what needs no torch is RED"),
        ({"TORCH": "1"}, "Python 3.13: torch could not be installed"),
    ],
)
def test_what_is_red_on_one_is_red(versions, more, said):
    done, _ = versions(**more)
    assert done.returncode == 1
    assert said in done.stdout


TESTS = """
import pytest
def test_without(): pass
def test_with_torch(): raise ModuleNotFoundError("No module named 'torch'")
def test_that_is_wrong(): assert False
"""


def test_without_torch_only_what_needs_it_is_skipped(tmp_path):
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "test_all.py").write_text(
        """raise ModuleNotFoundError("No module named 'torch'")"""
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "without_torch", str(tmp_path)]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "tools")},
        capture_output=True,
        text=True,
    )
    assert "1 failed, 1 passed, 2 skipped" in done.stdout
    assert "test_that_is_wrong" in done.stdout
