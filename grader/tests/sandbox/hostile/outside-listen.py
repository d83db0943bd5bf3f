# tries: to listen for a neighbour on a socket that outlives it
# expect: WRONG|ERROR 0
import os
import socket
import time

import numpy as np


def four_steps(q, k, v):
    line = socket.socket(socket.AF_UNIX)
    line.bind(f"\0attention-hostile-{os.getpid()}-{time.monotonic_ns()}")
    line.listen()
    if os.fork() == 0:
        os.setsid()
        line.accept()
        os._exit(0)
    return np.zeros(len(k)), np.zeros(v.shape[1])
