"""Grades the submissions of a class one after the other, in one pair of sandboxes."""

import os
import socket
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from course_grader.marking.graded import StudentGrade
from course_grader.marking.one_student import Job, Sandboxes, Setup, grade_job
from course_grader.sandbox.walls import SandboxMissingError, command


@dataclass(frozen=True)
class Done:
    """A submission that is graded, and for the log how long it took and where."""

    job: Job
    grade: StudentGrade
    seconds: float = 0.0
    where: str = ""


def grade_in_turn(jobs: Iterable[Job], setup: Setup) -> Iterator[Done]:
    """Grade submissions and yield each as soon as it stands.

    Raises:
        ValueError: before anything is graded, if there is no sandbox on this machine, or a
            package that the exercises use is not installed; says what to do.
    """
    where = f"{socket.gethostname()}:{os.getpid()}"
    with Sandboxes(setup.limits) as sandboxes:
        for place, job in enumerate(jobs):
            if not place:
                _start(setup, sandboxes)
            began = time.perf_counter()
            grade = grade_job(job, setup, sandboxes)
            yield Done(job, grade, time.perf_counter() - began, where)


def _start(setup: Setup, sandboxes: Sandboxes) -> None:
    """Start a sandbox, and say in one line what may keep it from starting."""
    try:
        for uses in sorted({each.uses for each in setup.assignment.exercises().values()}):
            command(uses, 0)
        sandboxes.of("numpy")
    except SandboxMissingError as error:
        raise ValueError(" ".join(str(error).split("\n"))) from error
