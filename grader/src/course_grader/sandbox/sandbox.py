"""Runs untrusted answers, never with this process's rights, and returns their results."""

import contextlib
import json
import math
import mmap
import os
import select
import signal
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, Literal, cast

from attention_course.exercises.protocol import Call, Outcome, pack_calls, runner
from course_grader.safe_text import printable
from course_grader.sandbox import replies, walls, worker
from course_grader.sandbox.limits import MIB, Limits
from course_grader.sandbox.walls import SandboxMissingError
from course_grader.verdicts import Verdict

START_S, GRACE_S = 120.0, 20.0
MOST_BYTES = 16 * MIB
_MEMORY_ERRORS = ("MemoryError", "_ArrayMemoryError")


class SandboxError(RuntimeError):
    """The sandbox itself failed; nothing is known about the answer."""


@dataclass(frozen=True)
class Run:
    """Calls that are made on an answer together, and how many bytes their arrays may have."""

    calls: tuple[Call, ...]
    most_bytes: int = MOST_BYTES


@dataclass(frozen=True)
class Observation:
    """What was seen of one run of an answer.

    Args:
        verdict: OK if the calls came back, whatever the numbers; else what happened instead.
        outcome: what the answer returned, or its error; None if nothing readable came.
        text: what it printed, made safe to show.
        cpu_s: how long it computed.
        held: how many bytes of memory it held at a time, beyond what it began with.
    """

    verdict: Verdict
    outcome: Outcome | None = None
    text: str = ""
    cpu_s: float = 0.0
    held: int = 0


class Sandbox:
    """A worker behind walls, started once, that runs one answer after the other.

    The worker dies with the thread that started it. Not to be shared between threads.

    Args:
        uses: "numpy", or "torch" for the exercises that need gradients.
        limits: what one run may use.

    Raises:
        SandboxMissingError: on entering, if answers cannot be shut in on this machine.
    """

    def __init__(self, uses: Literal["numpy", "torch"] = "numpy", limits: Limits | None = None):
        self.uses, self.limits = uses, limits or Limits()
        self._process: subprocess.Popen[bytes] | None = None
        self._until = math.inf

    @property
    def over(self) -> bool:
        """Whether the time is over for all that is still to run."""
        return time.monotonic() >= self._until

    @contextlib.contextmanager
    def stopping(self, at: float) -> Iterator[None]:
        """Start no answer once the monotonic clock has come to ``at``; afterwards as before."""
        before, self._until = self._until, at
        try:
            yield
        finally:
            self._until = before

    def __enter__(self) -> "Sandbox":
        self._start()
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def observe(
        self,
        source: str,
        calls: Sequence[Call],
        forbidden: Sequence[str] = (),
        most_bytes: int = MOST_BYTES,
        limits: Limits | None = None,
    ) -> Observation:
        """Run an answer in a process of its own and make the calls on it.

        Args:
            source: the answer.
            calls: what to call.
            forbidden: names that the answer may not fetch or import.
            most_bytes: how many bytes its arrays may have together; of more, only the shapes
                come back.
            limits: other limits than the sandbox's own.

        Returns:
            What was seen. If the sandbox fails twice, the verdict is GRADER_ERROR.
        """
        run = Run(tuple(calls), most_bytes)
        seen = self._observe(source, [run], forbidden, limits or self.limits)
        return seen[0] if len(seen) == 1 else Observation(Verdict.PROTOCOL)

    def observe_together(
        self,
        source: str,
        runs: Sequence[Run],
        forbidden: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> list[Observation] | None:
        """Run an answer once and make the calls of several runs on it, one after the other.

        It is many times faster than a process for each run, but an answer may carry something
        over from one run into the next, and all runs share the limits of one.

        Returns:
            What was seen in each run; None unless every run came to its end.
        """
        seen = self._observe(source, runs, forbidden, limits or self.limits)
        together = len(seen) == len(runs)
        return seen if together and all(came.outcome for came in seen) else None

    def _observe(
        self, source: str, runs: Sequence[Run], forbidden: Sequence[str], limits: Limits
    ) -> list[Observation]:
        left = self._until - time.monotonic()
        if left <= 0:
            return [Observation(Verdict.TIMEOUT)]
        limits = replace(limits, wall_s=min(limits.wall_s, left))
        packed = _packed(runs)
        request = _request(source, runs, packed, forbidden, self.uses, limits)
        # Once more with a fresh worker: the answer before may have broken this one.
        for _ in range(2):
            try:
                if self._process is None:
                    self._start()
                self._hand_over(packed)
                seen = self._ask(request, limits, _longest(runs))
                return self._witness(runs, packed, seen)
            except (SandboxError, SandboxMissingError) as error:
                self.close()
                failure = str(error)
        return [Observation(Verdict.GRADER_ERROR, text=printable(failure))]

    def close(self) -> None:
        """End the worker and all that it runs."""
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in self._pipes:
            with contextlib.suppress(OSError):
                pipe.close()
        process.kill()
        process.wait()
        self._errors.close()
        os.close(self._shared)

    def _start(self) -> None:
        self._shared = os.memfd_create("calls")
        try:
            words = walls.command(self.uses, self._shared)
        except Exception:
            os.close(self._shared)
            raise
        # A file, since a pipe that is not read fills up and stops the worker.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self._process = subprocess.Popen(
            words,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={},
            cwd="/",
            start_new_session=True,
            pass_fds=[self._shared],
        )
        # Both are there, because they were asked for.
        pipes = (self._process.stdin, self._process.stdout)
        self._pipes = cast("tuple[IO[bytes], IO[bytes]]", pipes)
        for pipe in self._pipes:
            # A worker that neither reads nor writes must not hold the grader past a deadline.
            os.set_blocking(pipe.fileno(), False)
        with contextlib.suppress(SandboxError):
            if self._read(len(worker.READY), time.monotonic() + START_S) == worker.READY:
                return
        failure = self._said()
        self.close()
        raise SandboxMissingError(
            f"the sandbox did not start: {failure}\nIf it says that a namespace is not "
            f"permitted, on Ubuntu 23.10 and later: {walls.APPARMOR}"
        )

    def _said(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._process:
                self._process.wait(1)
        self._errors.seek(0)
        return (
            printable(self._errors.read(2000).decode("utf-8", "replace")) or "no reason given"
        )

    def _ask(self, request: bytes, limits: Limits, longest: int) -> list[Observation]:
        deadline = time.monotonic() + limits.wall_s + GRACE_S
        self._write(request, deadline)
        head = worker.REPLY.unpack(self._read(worker.REPLY.size, deadline))
        mark, ended, code, cpu, held, length, printed = head
        if mark != worker.MARK or length > longest + 1 or printed > limits.text_bytes:
            raise SandboxError("the worker's reply is out of step")
        reply = self._read(length, deadline)
        text = printable(self._read(printed, deadline).decode("utf-8", "replace"))
        return [
            Observation(verdict, outcome, text, cpu, held << 10)
            for verdict, outcome in _verdicts(ended, code, cpu, reply, limits)
        ]

    def _hand_over(self, packed: bytes) -> None:
        """Write the calls where the answer gets them; nothing runs inside meanwhile."""
        # Nothing of the answer before may be left in the memory.
        os.ftruncate(self._shared, 0)
        view = memoryview(packed)
        while view:
            view = view[os.pwrite(self._shared, view, len(packed) - len(view)) :]

    def _witness(
        self, runs: Sequence[Run], packed: bytes, seen: list[Observation]
    ) -> list[Observation]:
        """Add to what the answer's process says what its memory shows, now that it is gone."""
        outcomes = [came.outcome for came in seen]
        told = {name for one in outcomes if one for name in one.state}
        changed = [
            name
            for name, same in zip(runner.GENERATORS, self._states(len(packed)), strict=False)
            if not same and name not in told
        ]
        after, at = os.pread(self._shared, len(packed), 0), 0
        for run, outcome in zip(runs, outcomes, strict=False):
            _, size = worker.RUN.unpack_from(packed, at)
            at += worker.RUN.size + size
            if outcome is None:
                continue
            outcome.state += changed
            if after[at - size : at] != packed[at - size : at]:
                begins = at - size + 4 + struct.unpack_from("<I", packed, at - size)[0]
                calls = runner.unpack_calls(packed[at - size : begins] + after[begins:at])
                known = runner.changed(run.calls, calls)
                outcome.changed += [name for name in known if name not in outcome.changed]
        return seen

    def _states(self, at: int) -> Iterator[bool]:
        """Yield of each generator whether it is as it began."""
        page, size = mmap.PAGESIZE, os.fstat(self._shared).st_size
        while (at := -(-at // page) * page) < size:
            place, length = worker.STATE.unpack(os.pread(self._shared, worker.STATE.size, at))
            before = os.pread(self._shared, length, at + worker.STATE.size)
            at += -(-(worker.STATE.size + length) // page) * page + place
            yield os.pread(self._shared, length, at) == before
            at += length

    def _write(self, data: bytes, deadline: float) -> None:
        view, pipe = memoryview(data), self._pipes[0]
        while view:
            self._wait(pipe, select.POLLOUT, deadline)
            try:
                view = view[os.write(pipe.fileno(), view[: 1 << 16]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise SandboxError(f"the worker is gone: {error}") from error

    def _read(self, size: int, deadline: float) -> bytes:
        parts, missing, pipe = [], size, self._pipes[1]
        while missing:
            self._wait(pipe, select.POLLIN, deadline)
            part = os.read(pipe.fileno(), min(missing, 1 << 20))
            if not part:
                raise SandboxError(f"the worker is gone: {self._said()}")
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _wait(self, pipe: IO[bytes], event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(pipe, event)
        if not poll.poll(1000 * max(0.0, deadline - time.monotonic())):
            raise SandboxError("the worker does not answer")


def require_sandbox() -> None:
    """Make sure that answers can be shut in on this machine.

    Raises:
        SandboxMissingError: if they cannot; says what to install or to set.
    """
    with Sandbox():
        pass


def _longest(runs: Sequence[Run]) -> int:
    """Return how many bytes the outcomes of all runs have at most."""
    return sum(worker.FRAME.size + 4 + worker.LONGEST_HEADER + run.most_bytes for run in runs)


def _packed(runs: Sequence[Run]) -> bytes:
    calls = [(run, pack_calls(run.calls)) for run in runs]
    return b"".join(worker.RUN.pack(run.most_bytes, len(data)) + data for run, data in calls)


def _request(
    source: str,
    runs: Sequence[Run],
    packed: bytes,
    forbidden: Sequence[str],
    uses: str,
    limits: Limits,
) -> bytes:
    parts = (source.encode("utf-8", "surrogatepass"), json.dumps(list(forbidden)).encode())
    head = worker.REQUEST.pack(
        worker.MARK,
        uses == "torch",
        limits.wall_s,
        limits.cpu_s,
        limits.memory_mib * MIB,
        limits.processes,
        limits.file_bytes,
        limits.open_files,
        limits.stack_mib * MIB,
        limits.output_bytes,
        limits.text_bytes,
        _longest(runs),
        *map(len, (*parts, packed)),
    )
    return b"".join((head, *parts))


def _verdicts(
    ended: int, code: int, cpu: float, reply: bytes, limits: Limits
) -> list[tuple[Verdict, Outcome | None]]:
    """Return what a child's end and reply amount to: a pair for each outcome that came.

    If the child did not end well, there is one pair, and nothing of its reply is believed.
    """
    if ended == worker.LATE:
        return [(Verdict.TIMEOUT, None)]
    if ended == worker.PRINTED:
        return [(Verdict.OUTPUT, None)]
    if ended == worker.SAID:
        return [(Verdict.PROTOCOL, None)]
    if ended == worker.KILLED:
        # The kernel keeps the limit by counting ticks. On a busy machine they ran to 6 s where
        # the precise clock, which is read here, had come to 4.6.
        long = cpu >= limits.cpu_s / 2
        by_limit = code == signal.SIGXCPU or (code == signal.SIGKILL and long)
        return [(Verdict.TIMEOUT if by_limit else Verdict.DIED, None)]
    # The exit status with which the worker reports a MemoryError.
    if code == 71:
        return [(Verdict.MEMORY, None)]
    if code or not reply:
        return [(Verdict.DIED, None)]
    try:
        outcomes = [replies.parse(data) for data in replies.frames(reply)]
    except replies.ReplyError:
        return [(Verdict.PROTOCOL, None)]
    return [(_verdict_of(outcome), outcome) for outcome in outcomes]


def _verdict_of(outcome: Outcome) -> Verdict:
    if not outcome.error:
        return Verdict.OK
    no_memory = outcome.error in _MEMORY_ERRORS or "can't allocate memory" in outcome.message
    return Verdict.MEMORY if no_memory else Verdict.ERROR
