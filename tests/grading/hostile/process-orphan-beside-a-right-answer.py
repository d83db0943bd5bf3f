# tries: a right answer that leaves a sleeping orphan behind
# expect: OK 5
import os
import time

import numpy as np

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(0)


def four_steps(q, k, v):
    exps = np.exp(k @ q - (k @ q).max())
    weights = exps / exps.sum()
    return weights, weights @ v
