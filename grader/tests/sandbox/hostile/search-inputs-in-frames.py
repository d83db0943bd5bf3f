# tries: nothing wrong: it takes its inputs from the caller's frame and does the sum
# expect: OK 5
import sys

import numpy as np


def four_steps(*ignored):
    q, k, v = sys._getframe(1).f_locals.get("args", ignored)
    exps = np.exp(k @ q - (k @ q).max())
    weights = exps / exps.sum()
    return weights, weights @ v
