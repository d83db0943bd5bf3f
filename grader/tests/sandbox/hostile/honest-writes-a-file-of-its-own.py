# tries: nothing wrong, but nothing can be written in the sandbox, and the error says so
# expect: ERROR 0
import tempfile

import numpy as np


def four_steps(q, k, v):
    with tempfile.TemporaryFile() as file:
        np.save(file, k @ q)
        file.seek(0)
        scores = np.load(file)
    exps = np.exp(scores - scores.max())
    weights = exps / exps.sum()
    return weights, weights @ v
