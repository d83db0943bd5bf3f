import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from class_of_thirty import Case, assignment_in, cases, notebook_of
from deadly_jobs import DeadlyJob

from attention_course.exercises import exercise_named
from course_grader.marking.one_student import Job, Setup, course_digest
from course_grader.marking.parallel import grade_in_parallel
from course_grader.sandbox.limits import Limits

STEPS = exercise_named("four-steps")
STUDENTS = ["honest-0", "wrong-order", "missing-both", "odd-1", "honest-1", "partial-steps"]


@pytest.fixture(scope="module")
def setup(tmp_path_factory):
    assignment = assignment_in(tmp_path_factory.mktemp("parallel") / "steps")
    return Setup(assignment, b"5" * 32, Limits(), course_digest())


def job_of(setup, student, kind=Job, **more):
    text = notebook_of(setup.assignment, student, cases()[student])
    return kind(student, text.encode(), key="k", **more)


def as_bytes(done):
    return {one.job.student: one.grade.to_json() for one in done}


@pytest.fixture(scope="module")
def serial(setup):
    """What the grades are if they are made one after the other."""
    return as_bytes(grade_in_parallel([job_of(setup, student) for student in STUDENTS], setup))


def test_a_number_of_workers_that_is_none_is_refused(setup):
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        grade_in_parallel([], setup, workers=0)


@pytest.mark.slow
def test_a_process_that_dies_loses_nothing_and_the_grades_are_those_of_a_serial_run(
    setup, serial, tmp_path
):
    deadly = job_of(setup, "wrong-order", DeadlyJob, tally=str(tmp_path / "tally"), times=2)
    jobs = [deadly, *(job_of(setup, s) for s in STUDENTS if s != "wrong-order")]
    assert as_bytes(grade_in_parallel(jobs, setup, workers=2)) == serial
    assert (tmp_path / "tally").stat().st_size == 3


@pytest.mark.slow
def test_a_submission_that_has_killed_three_workers_is_given_back_ungraded(
    setup, serial, tmp_path
):
    deadly = job_of(setup, "wrong-order", DeadlyJob, tally=str(tmp_path / "tally"), times=99)
    jobs = [job_of(setup, "honest-0"), deadly, job_of(setup, "missing-both")]
    done = {one.job.student: one.grade for one in grade_in_parallel(jobs, setup, workers=2)}
    assert done["wrong-order"].verdict == "GRADER_ERROR"
    assert "3 workers died" in done["wrong-order"].reason
    assert (tmp_path / "tally").stat().st_size == 3
    for student in ("honest-0", "missing-both"):
        assert done[student].to_json() == serial[student]


def grade_sleepers(folder):
    """Grade, in two processes, a class whose answers sleep; run in a process of its own."""
    setup = Setup(assignment_in(Path(folder) / "steps"), b"5" * 32, Limits(), course_digest())
    sleeps = Case(f"import time\ntime.sleep(6)\n{STEPS.solution}", None, (0, 0), "WRONG")
    jobs = [Job(s, notebook_of(setup.assignment, s, sleeps).encode()) for s in STUDENTS]
    list(grade_in_parallel(jobs, setup, workers=2))


@pytest.mark.slow
def test_when_the_grader_is_killed_its_processes_and_their_sandboxes_end(tmp_path):
    call = f"test_parallel_grading.grade_sleepers({str(tmp_path)!r})"
    (tmp_path / "main.py").write_text(
        f"import test_parallel_grading\n\nif __name__ == '__main__':\n    {call}\n"
    )
    here = Path(__file__).parent
    sources = here.parents[2] / "src", here.parents[1] / "src"
    folders = os.pathsep.join(map(str, (here, here.parent, *sources)))
    environment = os.environ | {"PYTHONPATH": folders}
    grader = subprocess.Popen([sys.executable, str(tmp_path / "main.py")], env=environment)
    try:
        own = psutil.Process(grader.pid)
        # Two workers, for each a sandbox of two processes and an answer that runs in it.
        assert waited(lambda: len(descendants(own)) >= 8)
        started = descendants(own)
    finally:
        grader.kill()
        grader.wait()
    assert waited(lambda: not [p for p in started if alive(p)])


def descendants(process):
    return process.children(recursive=True)


def alive(process):
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def waited(holds):
    """Wait until something holds; it must, long before the answers' sleep is over."""
    for _ in range(400):
        with suppress(psutil.NoSuchProcess):
            if holds():
                return True
        time.sleep(0.05)
    return False
