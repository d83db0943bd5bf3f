# tries: a subclass of ndarray that lies about its shape, size, bytes and comparisons
# expect: WRONG|ERROR 0
import numpy as np


class Liar(np.ndarray):
    shape = property(lambda self: (5,))
    nbytes = property(lambda self: 10**15)
    size = property(lambda self: -1)

    def __eq__(self, other):
        return True

    __hash__ = None

    def tobytes(self, *args):
        return b"\0" * 10**7

    def __array_wrap__(self, *args, **kwargs):
        return True

    def astype(self, *args, **kwargs):
        return self


def four_steps(q, k, v):
    return np.zeros(len(k)).view(Liar), np.zeros(v.shape[1]).view(Liar)
