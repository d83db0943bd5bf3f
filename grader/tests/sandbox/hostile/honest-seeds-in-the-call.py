# tries: to reset the session's generator in each call, which the exercises do not allow
# expect: WRONG 2
import numpy as np


def four_steps(q, k, v):
    np.random.seed(0)
    exps = np.exp(k @ q - (k @ q).max())
    weights = exps / exps.sum()
    return weights, weights @ v
