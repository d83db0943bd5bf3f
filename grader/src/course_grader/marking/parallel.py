"""Grades a class on several cores of one machine.

However many processes there are, each submission is graded by :func:`.marking.grade_job` with
the same secret, so the grades are those of a serial run. The submission of a worker that dies
is graded by another, and one that has seen too many workers die is handed back as the
grader's failure.
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

from course_grader.marking.graded import StudentGrade
from course_grader.marking.one_student import Job, Sandboxes, Setup, grade_job, not_graded
from course_grader.sandbox.sandbox import require_sandbox
from course_grader.sandbox.walls import SandboxMissingError, command

MOST_DEATHS = 3


@dataclass(frozen=True)
class Done:
    """A submission that is graded, and for the log how long it took and where."""

    job: Job
    grade: StudentGrade
    seconds: float = 0.0
    where: str = ""


def grade_in_parallel(jobs: Iterable[Job], setup: Setup, workers: int = 1) -> Iterator[Done]:
    """Grade submissions and yield each as soon as it stands, in any order.

    It takes so many processes of this machine as ``workers`` says.

    Raises:
        ValueError: if ``workers`` is not positive; before anything is graded, if there is no
            sandbox here.
    """
    if workers < 1:
        raise ValueError(f"grade_in_parallel: workers must be at least 1, got {workers}")
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
            command(uses, 0)
        sandbox()
    except SandboxMissingError as error:
        raise ValueError(" ".join(str(error).split("\n"))) from error


def _timed(job: Job, setup: Setup, sandboxes: Sandboxes) -> Done:
    began = time.perf_counter()
    grade = grade_job(job, setup, sandboxes)
    where = f"{socket.gethostname()}:{os.getpid()}"
    return Done(job, grade, time.perf_counter() - began, where)


# ---- the cores of one machine ---------------------------------------------------------------

# In a worker's process: what it grades with.
_OWN: list[tuple[Setup, Sandboxes]] = []


def _begin(setup: Setup) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sandboxes = Sandboxes(setup.limits)
    _OWN[:] = [(setup, sandboxes)]
    threading.Thread(target=_end_with_parent, daemon=True).start()
    Finalize(None, sandboxes.close, exitpriority=10)


def _end_with_parent() -> None:
    """End this process with the one that started it; its sandboxes see their pipes close."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _grade_in_pool(job: Job) -> Done:
    return _timed(job, *_OWN[0])


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
