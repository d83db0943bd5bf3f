# tries: to return a view that is tiny here and a terabyte where it is copied
# expect: ERROR|MEMORY|WRONG 0
import numpy as np


def four_steps(q, k, v):
    return np.broadcast_to(1.0, (10**6, 10**6)), v
