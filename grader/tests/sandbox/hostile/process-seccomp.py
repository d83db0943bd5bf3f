# tries: a seccomp filter on itself and its children, and no more signals
# expect: WRONG|DIED|ERROR 0
import ctypes
import signal

import numpy as np


def four_steps(q, k, v):
    libc = ctypes.CDLL(None, use_errno=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    libc.prctl(38, 1, 0, 0, 0)
    libc.prctl(22, 1, 0, 0, 0)
    return np.zeros(len(k)), np.zeros(v.shape[1])
