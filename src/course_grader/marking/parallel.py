"""Spreads a class over the cores of one machine, or over a Dask cluster.

However it is spread, each submission is graded by :func:`.marking.grade_job` with the same
secret, so the grades are those of a serial run. A worker that dies loses nothing: what it had
in hand is graded elsewhere, and a submission that has seen too many workers die is handed back
as the grader's failure.
"""

import os
import signal
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.util import Finalize
from typing import Any

from course_grader.marking.graded import StudentGrade
from course_grader.marking.one_student import (
    Job,
    Sandboxes,
    Setup,
    course_digest,
    grade_job,
    not_graded,
)
from course_grader.sandbox.sandbox import require_sandbox
from course_grader.sandbox.walls import SandboxMissingError, command

MOST_DEATHS = 3
INSTALL = "a cluster needs Dask here and on every worker: pip install distributed"


@dataclass(frozen=True)
class Done:
    """A submission that is graded, and for the log how long it took and where."""

    job: Job
    grade: StudentGrade
    seconds: float = 0.0
    where: str = ""


def spread(
    jobs: Iterable[Job], setup: Setup, workers: int = 1, scheduler: str = ""
) -> Iterator[Done]:
    """Grade submissions and yield each as soon as it stands, in any order.

    It takes so many processes of this machine as ``workers`` says, or in their place the
    workers of the Dask scheduler at an address.

    Raises:
        ValueError: if ``workers`` is not positive; before anything is graded, if there is no
            sandbox here or a worker of the cluster cannot grade.
        ImportError: if a cluster is asked for and Dask is not installed.
    """
    if workers < 1:
        raise ValueError(f"spread: workers must be at least 1, got {workers}")
    if scheduler:
        return _in_cluster(deque(jobs), setup, scheduler)
    if workers > 1:
        return _in_pool(deque(jobs), setup, workers)
    return _here(jobs, setup)


def _here(jobs: Iterable[Job], setup: Setup) -> Iterator[Done]:
    with Sandboxes(setup.limits) as sandboxes:
        for place, job in enumerate(jobs):
            if not place:
                _start(setup, lambda: sandboxes.of("numpy"))
            yield _timed(job, setup, sandboxes)


def _start(setup: Setup, sandbox: Callable[[], object]) -> None:
    """Start a sandbox and turn what may keep it from starting into one line.

    Raises:
        ValueError: if there is no sandbox on this machine, or a package that the exercises
            use is not installed; says what to do.
    """
    try:
        for uses in sorted({each.uses for each in setup.assignment.exercises().values()}):
            command(uses)
        sandbox()
    except SandboxMissingError as error:
        raise ValueError(" ".join(str(error).split("\n"))) from error


def _timed(job: Job, setup: Setup, sandboxes: Sandboxes) -> Done:
    began = time.perf_counter()
    grade = grade_job(job, setup, sandboxes)
    where = f"{socket.gethostname()}:{os.getpid()}"
    return Done(job, grade, time.perf_counter() - began, where)


# ---- the cores of one machine ---------------------------------------------------------------

# In a worker's process: what it grades with, and for each of its threads the sandboxes, which
# belong to the thread that started them.
_SETUP: list[Setup] = []
_OWN = threading.local()
_STARTED: list[Sandboxes] = []
_ONE_AT_A_TIME = threading.Lock()


def _begin(setup: Setup) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _SETUP[:] = [setup]
    threading.Thread(target=_end_with_parent, daemon=True).start()
    Finalize(None, _close_all, exitpriority=10)


def _end_with_parent() -> None:
    """End this process with the one that started it; its sandboxes see their pipes close."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _grade_in_pool(job: Job) -> Done:
    return _timed(job, _SETUP[0], _own_sandboxes(_SETUP[0]))


def _own_sandboxes(setup: Setup) -> Sandboxes:
    if getattr(_OWN, "limits", None) != setup.limits:
        _OWN.limits, _OWN.sandboxes = setup.limits, Sandboxes(setup.limits)
        _STARTED.append(_OWN.sandboxes)
    return _OWN.sandboxes


def _close_all() -> None:
    """End the sandboxes of this process; one that is needed again is started again."""
    for sandboxes in _STARTED:
        sandboxes.close()


def _in_pool(waiting: deque[Job], setup: Setup, workers: int) -> Iterator[Done]:
    """Grade in processes; after a death, what was in hand is graded by one process alone.

    When a process dies, the pool cannot say which submission it had. So all that were in hand
    count the death, and are then graded one by one, so that a further death is its own.
    """
    if waiting:
        _start(setup, require_sandbox)
    given_up = f"{MOST_DEATHS} workers died while they graded this submission"
    suspects: deque[Job] = deque()
    deaths: Counter[str] = Counter()
    while waiting or suspects:
        alone = bool(suspects)
        batch = deque([suspects.popleft()]) if alone else waiting
        in_hand: dict[Future[Done], Job] = {}
        pool = ProcessPoolExecutor(
            1 if alone else workers, get_context("spawn"), initializer=_begin, initargs=(setup,)
        )
        try:
            yield from _through(pool, batch, in_hand, 1 if alone else workers)
        except BrokenProcessPool:
            for job in in_hand.values():
                deaths[job.student] += 1
                if deaths[job.student] < MOST_DEATHS:
                    suspects.append(job)
                else:
                    yield Done(job, not_graded(job, setup, given_up))
        finally:
            pool.shutdown(cancel_futures=True)


def _through(
    pool: ProcessPoolExecutor, batch: deque[Job], in_hand: dict[Future[Done], Job], most: int
) -> Iterator[Done]:
    """Keep the pool busy with as many submissions as it has processes, and no more."""
    while batch or in_hand:
        while batch and len(in_hand) < most:
            in_hand[pool.submit(_grade_in_pool, batch[0])] = batch[0]
            batch.popleft()
        for future in wait(in_hand, return_when=FIRST_COMPLETED).done:
            done = future.result()
            del in_hand[future]
            yield done


# ---- a cluster ------------------------------------------------------------------------------


def _in_cluster(waiting: deque[Job], setup: Setup, address: str) -> Iterator[Done]:
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=30, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        require_ready(client)
        try:
            yield from _through_cluster(distributed, client, waiting, setup)
        finally:
            client.run(_close_all, on_error="ignore")


def _through_cluster(
    distributed: Any, client: Any, waiting: deque[Job], setup: Setup
) -> Iterator[Done]:
    """Give each thread of the cluster one submission at a time, so that a death names few."""
    finished = distributed.as_completed(loop=client.loop)
    in_hand: dict[str, Job] = {}
    while waiting or in_hand:
        most = max(1, sum(client.nthreads().values()))
        while waiting and len(in_hand) < most:
            job = waiting.popleft()
            future = client.submit(_grade_in_cluster, job, setup, pure=False)
            in_hand[future.key] = job
            finished.add(future)
        future = next(finished)
        yield _result(future, in_hand.pop(future.key), setup)


def _result(future: Any, job: Job, setup: Setup) -> Done:
    """Return what came of a submission; a task that was lost for good is the grader's failure.

    Dask itself repeats a task whose worker died, until that has happened more often than its
    scheduler allows (``allowed-failures``, 3 unless it is set).
    """
    if future.status == "finished":
        return future.result()
    error = future.exception() if future.status == "error" else None
    if type(error).__name__ == "KilledWorker":
        reason = "too many workers died while they graded this submission"
        return Done(job, not_graded(job, setup, reason))
    return Done(job, not_graded(job, setup, f"the cluster lost it: {error or future.status}"))


def _grade_in_cluster(job: Job, setup: Setup) -> Done:
    """Grade on a worker of the cluster; one at a time, whatever threads the worker has."""
    if course_digest() != setup.course:
        return Done(job, not_graded(job, setup, "a worker has another version of the course"))
    with _ONE_AT_A_TIME:
        return _timed(job, setup, _own_sandboxes(setup))


def require_ready(client: Any) -> None:
    """Make sure that every worker of a cluster has this course and a sandbox.

    Raises:
        ValueError: if there is no worker, or one cannot grade; names it and says why.
    """
    found = client.run(_readiness, on_error="return")
    if not found:
        raise ValueError("the cluster has no workers")
    for worker, answer in sorted(found.items()):
        course, problem = ("", answer) if isinstance(answer, Exception) else answer
        if problem:
            reason = " ".join(str(problem).split("\n"))
            raise ValueError(f"worker {worker} cannot grade: {reason}")
        if course != course_digest():
            raise ValueError(f"worker {worker} has another version of the course")


def _readiness() -> tuple[str, str]:
    """Return the course's fingerprint and what keeps this process from grading, if anything."""
    try:
        require_sandbox()
    except Exception as error:  # whatever it is, this worker cannot grade
        return course_digest(), str(error) or type(error).__name__
    return course_digest(), ""


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ImportError(INSTALL) from error
    return distributed
