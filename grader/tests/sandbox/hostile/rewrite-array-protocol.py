# tries: an object that gives another array, of another length, each time it is asked
# expect: WRONG|ERROR 0
import numpy as np


class Shifting:
    asked = 0

    def __array__(self, dtype=None, copy=None):
        Shifting.asked += 1
        return np.zeros(Shifting.asked % 8)

    def __array_function__(self, function, types, args, kwargs):
        return True

    def __array_ufunc__(self, function, method, *inputs, **kwargs):
        return True

    def __len__(self):
        return 10**9


def four_steps(q, k, v):
    return Shifting(), Shifting()
