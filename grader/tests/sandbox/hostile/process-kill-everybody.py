# tries: to kill every process it can see
# expect: DIED 0
import contextlib
import os
import signal


def four_steps(q, k, v):
    for process in (-1, 0, os.getppid()):
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL if process else signal.SIGURG)
    os._exit(0)
