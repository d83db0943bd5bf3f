"""One sandbox of each kind for all tests of this folder."""

import pytest

from course_grader.sandbox.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox():
    with Sandbox() as box:
        yield box


@pytest.fixture(scope="session")
def torch_sandbox():
    with Sandbox("torch") as box:
        yield box
