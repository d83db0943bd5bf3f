# tries: to write into cached objects: the small number 1, NumPy's constants, arrays' flags
# expect: WRONG|DIED|ERROR|PROTOCOL|TIMEOUT 0
import ctypes

import numpy as np


def four_steps(q, k, v):
    ctypes.memset(id(7) + 24, 1, 1)
    ctypes.memset(id(np.pi) + 16, 0, 8)
    return np.zeros(len(k)), np.zeros(v.shape[1])
