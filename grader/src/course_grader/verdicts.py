"""What can be said about a submission in one word."""

from enum import StrEnum


class Verdict(StrEnum):
    """One word for what happened to an answer, a probe or a whole file.

    A missing or failed answer earns nothing and says why; only ``GRADER_ERROR`` is ours: then
    nothing is known about the answer, and no points are given, neither none nor all.
    """

    OK = "OK"
    WRONG = "WRONG"
    ERROR = "ERROR"
    TIMEOUT = "TIMEOUT"
    MEMORY = "MEMORY"
    OUTPUT = "OUTPUT"
    DIED = "DIED"
    PROTOCOL = "PROTOCOL"
    MALFORMED = "MALFORMED"
    MISSING = "MISSING"
    GRADER_ERROR = "GRADER_ERROR"

    @property
    def meaning(self) -> str:
        """The verdict in a sentence for the student."""
        return _MEANINGS[self]


_MEANINGS = {
    Verdict.OK: "every property holds",
    Verdict.WRONG: "a property does not hold",
    Verdict.ERROR: "the answer raised an error",
    Verdict.TIMEOUT: "the answer took longer than it may",
    Verdict.MEMORY: "the answer asked for more memory than it may have",
    Verdict.OUTPUT: "the answer printed or returned more than it may",
    Verdict.DIED: "the answer ended the process it ran in",
    Verdict.PROTOCOL: "what came back is not what a function returns",
    Verdict.MALFORMED: "the file cannot be read as a notebook",
    Verdict.MISSING: "there is no answer",
    Verdict.GRADER_ERROR: "the grader itself failed, which is not your fault; "
    "the answer is not graded yet",
}
