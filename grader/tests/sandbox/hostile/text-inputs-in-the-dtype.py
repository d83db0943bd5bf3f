# tries: to carry the hidden inputs out in the name of a dtype
# expect: ERROR 0
import numpy as np


def four_steps(q, k, v):
    kind = [(repr(float(x)), "f8") for x in q]
    return np.zeros(len(k), kind), np.zeros(v.shape[1])
