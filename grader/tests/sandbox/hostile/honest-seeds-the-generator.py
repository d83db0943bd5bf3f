# tries: nothing wrong: it sets a seed and NumPy's error settings while it is loaded
# expect: OK 5
import random

import numpy as np

np.random.seed(0)
random.seed(0)
np.seterr(all="ignore")
np.set_printoptions(precision=2)


def four_steps(q, k, v):
    exps = np.exp(k @ q - (k @ q).max())
    weights = exps / exps.sum()
    return weights, weights @ v
