# tries: a reply of the right size in which every number is NaN, with a payload
# expect: WRONG 0
import numpy as np


def four_steps(q, k, v):
    payload = np.array(0x7FF8DEADBEEFCAFE, dtype=np.uint64).view(np.float64)
    return np.full(len(k), payload), np.full(v.shape[1], payload)
