# tries: to zero its inputs, so that a reference computed later agrees with a simple answer
# expect: WRONG 0
import numpy as np


def four_steps(q, k, v):
    q[...] = 0
    k[...] = 0
    v[...] = 0
    return np.full(len(k), 1 / len(k)), np.zeros(v.shape[1])
