# tries: to stop itself, so that it neither runs nor ends
# expect: TIMEOUT 0
import os
import signal


def four_steps(q, k, v):
    os.kill(os.getpid(), signal.SIGSTOP)
