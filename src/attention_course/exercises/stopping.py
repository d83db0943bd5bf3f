"""Stops an answer that does not end, in the session it runs in."""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# A right answer takes milliseconds; a slow machine may be a hundred times slower.
LONGEST_S = 10.0
_AGAIN_S = 0.2


class EndlessError(BaseException):
    """The answer took too long; no ``except Exception`` of its own catches this."""


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raise :class:`EndlessError` inside the block if it takes longer.

    It comes between two steps of Python, and again where the answer catches it all the same.
    Where no thread can be started, as in some browsers, nothing is stopped.
    """
    ended, thread = threading.Event(), threading.get_ident()

    def watch() -> None:
        wait = seconds
        while not ended.wait(wait):
            _raise(thread)
            wait = _AGAIN_S

    watcher = threading.Thread(target=watch, daemon=True)
    try:
        watcher.start()
    except RuntimeError:
        yield
        return
    try:
        yield
    finally:
        over = False
        while not over:
            with suppress(EndlessError):
                ended.set()
                watcher.join()
                for _ in range(10):
                    pass  # what was sent and has not come yet comes at one of these steps
                over = True


def _raise(thread: int) -> None:
    """Let the error come up in a thread at its next step.

    It cannot be called back: in Python 3.11 that leaves a mark behind with which a traced
    function never begins.
    """
    error = ctypes.py_object(EndlessError)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
