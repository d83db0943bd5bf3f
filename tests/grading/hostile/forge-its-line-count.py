# tries: to write another line count, and no changes, into the reply beside wrong numbers
# expect: WRONG 0
import sys

import numpy as np


class Deaf(list):
    def __iadd__(self, other):
        return self


def four_steps(q, k, v):
    sys.settrace(None)
    sys.setprofile(None)
    frame = sys._getframe()
    while frame:
        frame.f_trace = None
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "Outcome":
                value.lines, value.changed, value.state = Deaf([0]), Deaf(), Deaf()
        frame = frame.f_back
    q *= 0
    return np.zeros(len(k)), np.zeros(v.shape[1])
