# tries: a right answer that hangs the process after it has returned
# expect: OK 5
import atexit
import time

import numpy as np

atexit.register(time.sleep, 3600)


def four_steps(q, k, v):
    exps = np.exp(k @ q - (k @ q).max())
    weights = exps / exps.sum()
    return weights, weights @ v
