"""What hangs is named and bounded; only what ran out of time is tried again."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TESTS = """
import time
from pathlib import Path

def first_time(name):
    mark = Path(__file__).with_name(name)
    found = mark.exists()
    mark.touch()
    return not found

def test_stalls_once():
    if first_time("stalled"):
        time.sleep(600)

def test_is_wrong_once():
    assert not first_time("wrong")

def test_always_stalls():
    if {always}:
        time.sleep(600)

def test_is_right():
    pass
"""


def flags(*names: str) -> list[str]:
    """What ``make`` passes to pytest, with seconds instead of minutes."""
    text = MAKEFILE.replace("\\\n", " ")
    line = " ".join(re.search(rf"^{n} := (.+)$", text, re.MULTILINE)[1] for n in names)
    line = re.sub(r"--timeout \d+", "--timeout 2", line)
    return re.sub(r"_timeout=\d+", "_timeout=8", line).split()


def run(folder: Path, flags: list[str], always: bool) -> str:
    """Run the tests above with those flags; what pytest said."""
    (folder / "test_it.py").write_text(TESTS.replace("{always}", str(always)), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", *flags, "-n", "1", "-q", "test_it.py"]
    ended = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    return ended.stdout + ended.stderr


@pytest.mark.gate("browser: a stall is tried once more", "a wrong assertion, a lasting stall")
def test_of_the_browsers_tests_only_what_ran_out_of_time_is_tried_again(tmp_path):
    said = run(tmp_path, flags("BOUND", "STALLS"), always=True)
    assert "2 failed, 2 passed, 2 rerun" in said, said
    assert "FAILED test_it.py::test_is_wrong_once" in said, said
    assert re.search(r"FAILED test_it.py::test_always_stalls.+Timeout", said), said
    assert "RERUN test_it.py::test_stalls_once" in said, said


@pytest.mark.gate("a hang is named and ended", "a test and a fixture that sleep for ever")
def test_a_test_that_hangs_is_named_with_its_stack_and_the_others_run(tmp_path):
    said = run(tmp_path, flags("BOUND"), always=False)
    assert "crashed while running 'test_it.py::test_stalls_once'" in said, said
    assert re.search(r'File ".*test_it.py", line \d+ in test_stalls_once', said), said
    assert "2 failed, 2 passed" in said, said


def test_a_fixture_that_hangs_is_ended_too(tmp_path):
    (tmp_path / "conftest.py").write_text(
        "import pytest, time\n@pytest.fixture(autouse=True)\ndef slow(request):\n"
        "    if request.node.name == 'test_is_right':\n        time.sleep(600)\n"
    )
    for mark in ("stalled", "wrong"):
        (tmp_path / mark).touch()
    said = run(tmp_path, flags("BOUND", "STALLS"), always=False)
    assert "crashed while running 'test_it.py::test_is_right'" in said, said
    assert "1 failed, 3 passed" in said, said
