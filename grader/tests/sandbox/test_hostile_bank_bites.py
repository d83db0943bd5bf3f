"""The hostile bank is not a set of harmless files: a common kind of grader falls for it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_bank import hostile_answers

from attention_course.exercises import all_exercises

EXERCISE = all_exercises()["four-steps"]
NAIVE = (Path(__file__).parent / "naive_grader.py").read_text(encoding="utf-8")
# Harmless outside a grader: each changes or ends only the process that it runs in.
FOOLING = (
    "end-exit-zero-at-load",
    "end-exit-zero-in-the-call",
    "end-sys-exit",
    "end-system-exit-at-load",
    "rewrite-patched-comparison",
    "rewrite-patched-generators",
    "rewrite-inputs-in-place",
    "search-frames-for-the-answer",
)


def passes(answer: str) -> bool:
    """Say whether the naive grader, shut off from the machine, lets an answer pass."""
    box = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    box += ["--unshare-all", "--die-with-parent", "--new-session"]
    given = json.dumps({"answer": answer, "solution": EXERCISE.solution})
    run = subprocess.run(
        [*box, sys.executable, "-c", NAIVE],
        input=given,
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert "bwrap:" not in run.stderr, run.stderr
    return run.returncode == 0


@pytest.fixture(autouse=True)
def _sandbox():
    if shutil.which("bwrap") is None:
        pytest.fail("bubblewrap is not installed: run `make system`")


def test_the_naive_grader_knows_right_from_wrong():
    assert passes(EXERCISE.solution)
    assert not passes(EXERCISE.source_of(EXERCISE.wrong[4]))
    assert not passes(EXERCISE.stub)


@pytest.mark.gate("the hostile bank", "a grader that compares in the answer's own process")
@pytest.mark.parametrize("name", FOOLING)
def test_a_grader_in_the_same_process_is_fooled(name):
    hostile = hostile_answers()[name]
    assert hostile.most == 0
    assert passes(hostile.source)
