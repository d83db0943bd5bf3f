"""Runs a piece of code inside a sandbox and brings back what it found."""

import textwrap
from pathlib import Path

from attention_course.exercises.runner import Call
from course_grader.verdicts import Verdict

HEAD = "import ctypes, errno, os, signal, sys, time\n\n\ndef found():\n"


def found(sandbox, body: str, **options) -> str:
    """Return the text that the body of a function returned inside the sandbox.

    Raises:
        AssertionError: if it did not come to its end.
    """
    came = observed(sandbox, body, **options)
    assert came.verdict == Verdict.OK, came
    return came.outcome.values[0]


def observed(sandbox, body: str, **options):
    """Return what was seen of a function with this body."""
    source = HEAD + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return sandbox.observe(source, [Call("found", returns=("text",))], **options)


def worker_of(sandbox) -> int:
    """Return the number that the worker, process 1 inside, has outside."""
    watcher = sandbox._process.pid
    return int(Path(f"/proc/{watcher}/task/{watcher}/children").read_text().split()[0])
