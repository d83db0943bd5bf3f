# tries: to print the hidden inputs on every stream, and to warn of them
# expect: WRONG 0
import sys
import warnings

import numpy as np


def four_steps(q, k, v):
    print(q.tolist(), k.tolist(), v.tolist())
    print(q.tolist(), file=sys.__stderr__)
    warnings.warn(repr(q.tolist()), stacklevel=1)
    return np.zeros(len(k)), np.zeros(v.shape[1])
