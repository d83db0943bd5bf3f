# tries: nothing wrong, but there are no threads in the sandbox, and the error says so
# expect: ERROR 0
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def four_steps(q, k, v):
    with ThreadPoolExecutor(2) as pool:
        scores = np.array(list(pool.map(lambda key: key @ q, k)))
    exps = np.exp(scores - scores.max())
    weights = exps / exps.sum()
    return weights, weights @ v
