# tries: to return an array of 80 MB where a few numbers are asked for
# expect: WRONG|OUTPUT|ERROR|MEMORY|TIMEOUT 0
import numpy as np


def four_steps(q, k, v):
    return np.zeros(10**7), v
