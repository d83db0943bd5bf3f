# tries: arrays of objects whose arithmetic runs code
# expect: ERROR 0
import os

import numpy as np


class Bomb:
    def __float__(self):
        os._exit(0)

    __index__ = __int__ = __add__ = __sub__ = __float__


def four_steps(q, k, v):
    return np.array([Bomb()] * len(k)), np.array([Bomb()] * v.shape[1])
