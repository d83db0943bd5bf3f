# tries: to kill the process that started it, the group, and the first process
# expect: DIED|ERROR|WRONG 0
import os
import signal

import numpy as np


def four_steps(q, k, v):
    for process in (os.getppid(), 1, 2, 3, 4, 5):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            try:
                os.kill(process, number)
            except OSError:
                continue
    return np.zeros(len(k)), np.zeros(v.shape[1])
