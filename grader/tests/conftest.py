"""One sandbox of each kind for all tests of this folder, which may import the benchmarks."""

import sys
from pathlib import Path

import pytest

from course_grader.sandbox.sandbox import Sandbox

# What the programs that these tests start read: the sandbox, the grader's own command.
INPUTS = ("assignments", "book/teach", "grader", "src/attention_course/exercises", "tools")
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))


@pytest.fixture(scope="session")
def sandbox():
    with Sandbox() as box:
        yield box


@pytest.fixture(scope="session")
def torch_sandbox():
    with Sandbox("torch") as box:
        yield box
