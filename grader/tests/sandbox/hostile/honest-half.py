# tries: nothing wrong: it forgets to subtract the largest score, and keeps the first part
# expect: WRONG 3
import numpy as np


def four_steps(q, k, v):
    exps = np.exp(k @ q)
    weights = exps / exps.sum()
    return weights, weights @ v
