# tries: to make the inputs of the tests known by patching every generator
# expect: WRONG 0
import random

import numpy as np


class Zeros:
    def __init__(self, *args):
        pass

    def __getattr__(self, name):
        return lambda *args, **kwargs: np.zeros(kwargs.get("size", args[-1] if args else ()))


np.random.default_rng = np.random.Generator = np.random.RandomState = Zeros
np.random.seed(0)
random.seed(0)


def four_steps(q, k, v):
    return np.full(len(k), 1 / len(k)), np.zeros(v.shape[1])
