# tries: a right answer that leaves a sleeping orphan behind
# expect: OK 5
import os
import time

import numpy as np

try:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
except OSError:
    print("no orphan")


def four_steps(q, k, v):
    exps = np.exp(k @ q - (k @ q).max())
    weights = exps / exps.sum()
    return weights, weights @ v
