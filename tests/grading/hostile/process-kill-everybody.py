# tries: to kill every process it can see
# expect: DIED 0
import os
import signal


def four_steps(q, k, v):
    os.kill(-1, signal.SIGKILL)
    os.kill(os.getppid(), signal.SIGKILL)
    os._exit(0)
