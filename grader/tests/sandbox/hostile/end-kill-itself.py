# tries: SIGKILL for itself
# expect: DIED 0
import os
import signal


def four_steps(q, k, v):
    os.kill(os.getpid(), signal.SIGKILL)
