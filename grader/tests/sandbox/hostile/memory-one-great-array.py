# tries: an array of 80 GB
# expect: MEMORY|ERROR 0
import numpy as np


def four_steps(q, k, v):
    return np.ones(10**10), v
