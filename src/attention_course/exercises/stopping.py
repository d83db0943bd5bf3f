"""Stops an answer that does not end, in the session it runs in."""

import contextlib
import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from time import monotonic, sleep
from types import CodeType

# A right answer takes milliseconds; a slow machine may be a hundred times slower.
LONGEST_S = 10.0
_AGAIN_S = 0.2
# The code that a thread runs when it comes into the block and when it leaves it.
_EDGE = (__file__, contextlib.__file__, threading.__file__)


class EndlessError(BaseException):
    """The answer took too long; no ``except Exception`` of its own catches this."""


@contextmanager
def stopped_after(seconds: float, computing: float = inf) -> Iterator[None]:
    """Raise :class:`EndlessError` inside the block if it takes longer.

    It comes between two steps of Python, and again where the answer catches it all the same.
    Where no thread can be started, as in a page, only computing is stopped, not sleep.

    Args:
        seconds: so long it may take by the clock.
        computing: so many seconds its thread may compute, where the system counts them.
    """
    block = _Block(seconds, computing)
    try:
        _WATCHER.look_after(block)
    except RuntimeError:
        with _looking_itself(computing):
            yield
        return
    try:
        yield
    finally:
        over = False
        while not over:
            with suppress(EndlessError):
                # Before all else: the watcher looks at it before each error that it sends.
                block.ended = True
                _WATCHER.blocks.discard(block)
                while block.late and not block.left_alone:
                    sleep(0.001)
                for _ in range(10 if block.late else 0):
                    pass  # what was sent and has not come yet comes at one of these steps
                over = True


@contextmanager
def _looking_itself(seconds: float) -> Iterator[None]:
    """Stop a block where no thread can: it looks at the clock at each turn and call."""
    monitoring = getattr(sys, "monitoring", None)  # there from Python 3.12 on
    if seconds == inf or monitoring is None:
        yield
        return
    until, events = time.perf_counter() + seconds, monitoring.events
    turns = (events.BRANCH, events.JUMP, events.PY_START)

    def look(code: CodeType, *_: object) -> None:
        nonlocal until
        if time.perf_counter() > until and code.co_filename not in _EDGE:
            until = time.perf_counter() + _AGAIN_S
            raise EndlessError

    monitoring.use_tool_id(monitoring.PROFILER_ID, __name__)
    # A loop takes a branch or a jump in every turn, a recursion starts a function.
    for event in turns:
        monitoring.register_callback(monitoring.PROFILER_ID, event, look)
    monitoring.set_events(monitoring.PROFILER_ID, sum(turns))
    try:
        yield
    finally:
        monitoring.set_events(monitoring.PROFILER_ID, 0)
        monitoring.free_tool_id(monitoring.PROFILER_ID)


class _Block:
    """A block that may take so long, and the thread that runs it.

    ``late`` is set before anybody looks whether it has ended, and no lock is held: an error
    that comes between two steps would leave it locked.
    """

    late = ended = left_alone = False

    def __init__(self, seconds: float, computing: float):
        self.thread = threading.get_ident()
        self.ends: list[tuple[Callable[[], float], float]]
        self.ends = [(monotonic, monotonic() + seconds)]
        with suppress(AttributeError, OSError):  # Windows and pages have no such clock
            own = partial(time.clock_gettime, time.pthread_getcpuclockid(self.thread))
            self.ends.append((own, own() + computing))
        self.due = monotonic() + self.left()

    def left(self) -> float:
        """Return how many seconds it still may take at least."""
        return min(end - clock() for clock, end in self.ends)

    def stop(self) -> None:
        """Raise the error in it until it has ended."""
        self.late = True
        while not self.ended:
            if not _is_at_edge(self.thread):
                _raise(self.thread)
            sleep(_AGAIN_S)
        self.left_alone = True


class _Watcher:
    """Sleeps until the first block is due: a thread for each would cost more than a block."""

    def __init__(self) -> None:
        self.thread = threading.Thread()
        self._forget()

    def _forget(self) -> None:
        self.blocks: set[_Block] = set()
        self.earlier, self.wakes = threading.Event(), inf

    def look_after(self, block: _Block) -> None:
        """Stop a block when it is due.

        Raises:
            RuntimeError: if no thread can be started.
        """
        if not self.thread.is_alive():  # none yet, or this process was forked
            self._forget()
            # A daemon: Python must be able to end while the watcher sleeps.
            self.thread = threading.Thread(target=self._watch, daemon=True)
            self.thread.start()
        self.blocks.add(block)
        if block.due < self.wakes:
            self.earlier.set()

    def _watch(self) -> None:
        while True:
            self.wakes = inf
            self.earlier.clear()
            # A copy, since other threads add blocks meanwhile.
            for block in self.blocks.copy():
                if block.due <= monotonic() and (left := block.left()) > 0:
                    block.due = monotonic() + left
                elif block.due <= monotonic():
                    self.blocks.discard(block)
                    block.stop()
            self.wakes = min((block.due for block in self.blocks.copy()), default=inf)
            self.earlier.wait(None if self.wakes == inf else max(0.0, self.wakes - monotonic()))


_WATCHER = _Watcher()


def _is_at_edge(thread: int) -> bool:
    """Say whether a thread is at the block's edge: an error there leaves the watcher on."""
    frame = sys._current_frames().get(thread)
    return frame is not None and frame.f_code.co_filename in _EDGE


def _raise(thread: int) -> None:
    """Let the error come up in a thread at its next step.

    It cannot be called back: in Python 3.11 that leaves a mark behind with which a traced
    function never begins.
    """
    error = ctypes.py_object(EndlessError)
    # Signal handlers run in the main thread only, and an answer may run in another.
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
