# tries: a right answer that closes its streams (it only harms its own prints)
# expect: OK 5
import sys

import numpy as np

sys.stdout.close()
sys.stderr.close()


def four_steps(q, k, v):
    exps = np.exp(k @ q - (k @ q).max())
    weights = exps / exps.sum()
    return weights, weights @ v
