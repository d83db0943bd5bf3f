# tries: to freeze the processes above it, so that nothing is graded any more
# expect: ERROR|WRONG|TIMEOUT|DIED 0
import os
import signal

import numpy as np


def four_steps(q, k, v):
    for process in (os.getppid(), 1, *range(2, 12)):
        if process != os.getpid():
            try:
                os.kill(process, signal.SIGSTOP)
            except OSError:
                continue
    return np.zeros(len(k)), np.zeros(v.shape[1])
