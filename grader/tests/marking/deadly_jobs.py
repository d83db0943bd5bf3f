"""Submissions that kill the process that takes them in hand."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from course_grader.marking.one_student import Job


@dataclass(frozen=True)
class DeadlyJob(Job):
    """A submission that kills a worker so many times and is then an ordinary one."""

    tally: str = ""
    times: int = 0

    def __reduce__(self):
        fields = dict(vars(self))
        tally, times = fields.pop("tally"), fields.pop("times")
        return _arrive, (tally, times, fields)


def _arrive(tally, times, fields):
    with Path(tally).open("a") as file:
        file.write(".")
    if Path(tally).stat().st_size <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return Job(**fields)
