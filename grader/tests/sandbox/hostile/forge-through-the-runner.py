# tries: to change the code around it: comparisons, copies, what is written down
# expect: WRONG|ERROR|DIED|PROTOCOL 0
import sys

import numpy as np


def four_steps(q, k, v):
    frame = sys._getframe()
    while frame:
        scope = frame.f_globals
        for name in ("_same", "_compare", "judge"):
            if name in scope:
                scope[name] = lambda *args, **kwargs: True
        for name in ("_session", "_write_down"):
            if name in scope:
                scope[name] = lambda *args, **kwargs: {}
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "Outcome":
                value.names = ["weights", "context"]
                value.values = [np.zeros(len(k)), np.zeros(v.shape[1])]
                value.kinds = ["float64", "float64"]
        frame = frame.f_back
    return np.zeros(len(k)), np.zeros(v.shape[1])
