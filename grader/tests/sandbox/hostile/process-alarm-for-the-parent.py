# tries: timers and alarms for the processes above it
# expect: WRONG|DIED 0
import os
import signal

import numpy as np


def four_steps(q, k, v):
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    for number in (signal.SIGALRM, signal.SIGXCPU, signal.SIGPIPE, signal.SIGHUP):
        try:
            os.kill(os.getppid(), number)
        except OSError:
            continue
    return np.zeros(len(k)), np.zeros(v.shape[1])
