# tries: a right answer that hangs the process after it has returned
# expect: OK 5 | TIMEOUT 0
import atexit
import threading
import time

import numpy as np

atexit.register(time.sleep, 3600)
threading.Thread(target=time.sleep, args=(3600,)).start()


def four_steps(q, k, v):
    exps = np.exp(k @ q - (k @ q).max())
    weights = exps / exps.sum()
    return weights, weights @ v
