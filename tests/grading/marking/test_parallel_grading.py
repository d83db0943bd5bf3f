import builtins
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from class_of_thirty import Case, assignment_in, cases, notebook_of
from deadly_jobs import DeadlyJob

from attention_course.exercises import exercise_named
from course_grader.marking import parallel
from course_grader.marking.one_student import Job, Setup, course_digest
from course_grader.marking.parallel import require_ready, spread
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
    return as_bytes(spread([job_of(setup, student) for student in STUDENTS], setup))


def test_a_number_of_workers_that_is_none_is_refused(setup):
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        spread([], setup, workers=0)


@pytest.mark.slow
def test_a_process_that_dies_loses_nothing_and_the_grades_are_those_of_a_serial_run(
    setup, serial, tmp_path
):
    deadly = job_of(setup, "wrong-order", DeadlyJob, tally=str(tmp_path / "tally"), times=2)
    jobs = [deadly, *(job_of(setup, s) for s in STUDENTS if s != "wrong-order")]
    assert as_bytes(spread(jobs, setup, workers=2)) == serial
    assert (tmp_path / "tally").stat().st_size == 3


@pytest.mark.slow
def test_a_submission_that_has_killed_three_workers_is_given_back_ungraded(
    setup, serial, tmp_path
):
    deadly = job_of(setup, "wrong-order", DeadlyJob, tally=str(tmp_path / "tally"), times=99)
    jobs = [job_of(setup, "honest-0"), deadly, job_of(setup, "missing-both")]
    done = {one.job.student: one.grade for one in spread(jobs, setup, workers=2)}
    assert done["wrong-order"].verdict == "GRADER_ERROR"
    assert "3 workers died" in done["wrong-order"].reason
    assert (tmp_path / "tally").stat().st_size == 3
    for student in ("honest-0", "missing-both"):
        assert done[student].to_json() == serial[student]


@pytest.mark.slow
def test_a_cluster_gives_the_grades_of_a_serial_run_though_a_worker_is_killed(setup, serial):
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
    )
    with cluster:
        jobs = [job_of(setup, student) for student in STUDENTS]
        results = spread(jobs, setup, scheduler=cluster.scheduler_address)
        done = [next(results)]
        with distributed.Client(cluster, set_as_default=False) as client:
            busy = set(client.run(os.getpid).values()) - {int(done[0].where.split(":")[1])}
        os.kill(busy.pop(), signal.SIGKILL)
        done += results
    assert len(done) == len(STUDENTS)
    assert as_bytes(done) == serial
    assert len({one.where for one in done}) > 1


def client_of(**answers):
    """Return a stand-in for a client whose workers answer so when they are asked."""
    return SimpleNamespace(run=lambda function, on_error: answers)


def test_a_cluster_in_which_every_worker_is_ready_is_taken():
    require_ready(client_of(one=(course_digest(), ""), two=(course_digest(), "")))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((course_digest(), "bubblewrap is not installed\nsudo apt"), "bubblewrap is not inst"),
        (("another", ""), "has another version of the course"),
        (ModuleNotFoundError("No module named 'attention_course'"), "No module named"),
        (OSError("lost"), "lost"),
    ],
)
def test_a_worker_that_cannot_grade_is_named_before_anything_is_sent(answer, said):
    with pytest.raises(ValueError, match=rf"worker two .*{said}"):
        require_ready(client_of(one=(course_digest(), ""), two=answer))


def test_a_cluster_without_workers_is_refused():
    with pytest.raises(ValueError, match="has no workers"):
        require_ready(client_of())


def test_a_worker_says_what_keeps_it_from_grading(monkeypatch):
    def missing():
        raise RuntimeError("no bubblewrap")

    assert parallel._readiness() == (course_digest(), "")
    monkeypatch.setattr(parallel, "require_sandbox", missing)
    assert parallel._readiness() == (course_digest(), "no bubblewrap")


def test_a_worker_that_joins_later_with_another_course_grades_nothing(setup, monkeypatch):
    monkeypatch.setattr(parallel, "course_digest", lambda: "another")
    done = parallel._grade_in_cluster(job_of(setup, "honest-0"), setup)
    assert done.grade.verdict == "GRADER_ERROR"
    assert "another version" in done.grade.reason


class KilledWorker(Exception):  # noqa: N818 (the name is Dask's)
    pass


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        ("error", KilledWorker("x"), "too many workers died"),
        ("error", MemoryError("full"), "the cluster lost it: full"),
        ("cancelled", None, "the cluster lost it: cancelled"),
    ],
)
def test_a_task_that_the_cluster_lost_is_the_grader_s_failure(setup, status, error, said):
    future = SimpleNamespace(status=status, exception=lambda: error)
    done = parallel._result(future, job_of(setup, "honest-0"), setup)
    assert (done.grade.verdict, said in done.grade.reason) == ("GRADER_ERROR", True)
    assert [item.verdict for item in done.grade.code] == ["GRADER_ERROR"] * 2


def test_without_dask_a_cluster_is_refused_with_what_to_install(setup, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "distributed":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install distributed"):
        next(spread([], setup, scheduler="tcp://127.0.0.1:1"))


def test_importing_the_command_does_not_import_dask():
    import subprocess
    import sys

    code = "import sys, course_grader.cli.grade_class; print('distributed' in sys.modules)"
    came = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert came.stdout == "False\n"


def grade_sleepers(folder):
    """Grade, in two processes, a class whose answers sleep; run in a process of its own."""
    setup = Setup(assignment_in(Path(folder) / "steps"), b"5" * 32, Limits(), course_digest())
    sleeps = Case(f"import time\ntime.sleep(6)\n{STEPS.solution}", None, (0, 0), "WRONG")
    jobs = [Job(s, notebook_of(setup.assignment, s, sleeps).encode()) for s in STUDENTS]
    list(spread(jobs, setup, workers=2))


@pytest.mark.slow
def test_when_the_grader_is_killed_its_processes_and_their_sandboxes_end(tmp_path):
    call = f"test_parallel_grading.grade_sleepers({str(tmp_path)!r})"
    (tmp_path / "main.py").write_text(
        f"import test_parallel_grading\n\nif __name__ == '__main__':\n    {call}\n"
    )
    here = Path(__file__).parent
    folders = os.pathsep.join(map(str, (here, here.parent, here.parents[2] / "src")))
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
