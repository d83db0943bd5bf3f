# tries: to print 31 MB beside a right answer
# expect: OUTPUT 0 | OK 5
import numpy as np


def four_steps(q, k, v):
    for _ in range(31):
        print("x" * 10**6)
    exps = np.exp(k @ q - (k @ q).max())
    weights = exps / exps.sum()
    return weights, weights @ v
