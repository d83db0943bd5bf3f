# tries: to write into the reply, beside wrong numbers, that nothing was changed
# expect: WRONG 0
import sys

import numpy as np


class Deaf(list):
    def __iadd__(self, other):
        return self


def four_steps(q, k, v):
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "Outcome":
                value.changed, value.state = Deaf(), Deaf()
        frame = frame.f_back
    q *= 0
    return np.zeros(len(k)), np.zeros(v.shape[1])
