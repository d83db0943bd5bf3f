# tries: masked arrays in which nothing is left to compare
# expect: WRONG 0
import numpy as np


def four_steps(q, k, v):
    return (
        np.ma.masked_all(len(k)).filled(0) if False else np.ma.zeros(len(k)),
        np.ma.array(np.zeros(v.shape[1]), mask=True),
    )
