# tries: nothing wrong: it wraps NumPy's functions, raises the recursion limit, sets a locale
# expect: OK 5
import os
import sys
import warnings

import numpy as np

plain = np.exp
np.exp = lambda x: plain(np.asarray(x, dtype=float))
np.softmax = lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum()
sys.setrecursionlimit(5000)
os.environ["OMP_NUM_THREADS"] = "4"
warnings.simplefilter("error")


def four_steps(q, k, v):
    weights = np.softmax(k @ q)
    return weights, weights @ v
