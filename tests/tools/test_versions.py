"""make versions: everything where torch is to be had, the rest elsewhere, and red is red."""

import os
import shutil
import subprocess
import sys

import pytest
from rules.notebooks import ROOT

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
@pytest.fixture
def box(): raise ModuleNotFoundError("No module named 'torch'")
def test_whose_fixture_needs_it(box): pass
def test_that_is_wrong():
    said = "No module named 'torch'"
    assert False
def test_that_is_wrong_too():
    raise ModuleNotFoundError("No module named 'torchvision'")  # nor No module named 'torch'
"""


@pytest.fixture
def untorched(tmp_path):
    """Run tests of which some need torch, as make versions does where there is none."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_some.py").write_text(TESTS)
    (tmp_path / "tests/test_all.py").write_text(
        """raise ModuleNotFoundError("No module named 'torch'")"""
    )

    def run(least, *options):
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}/tools:{ROOT}/src"}
        environment["RUN_WITHOUT_TORCH"] = str(least)
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-rfs",
            "-p",
            "without_torch",
            *options,
        ]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    return run


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n2",), marks=pytest.mark.thorough)], ids=str
)
def test_without_torch_only_what_needs_it_is_skipped_and_it_says_so(untorched, workers):
    done = untorched(3, "tests", *workers)
    assert "2 failed, 1 passed, 3 skipped" in done.stdout
    assert done.stdout.count("it needs torch") == 3
    assert "FAILED tests/test_some.py::test_that_is_wrong " in done.stdout
    assert "FAILED tests/test_some.py::test_that_is_wrong_too " in done.stdout


@pytest.mark.thorough
@pytest.mark.gate("what needs no torch is still run", "a test that began to need torch")
@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_without_torch_no_fewer_tests_are_run(untorched, workers):
    right = ("-k", "not wrong", *workers)
    assert untorched(1, "tests", *right).returncode == 0
    done = untorched(2, "tests", *right)
    assert done.returncode == 1
    assert "FAILED without torch: 1 tests ran, at least 2 must" in done.stdout
    assert untorched(2, "tests/test_some.py", *right).returncode == 0  # not all were asked
