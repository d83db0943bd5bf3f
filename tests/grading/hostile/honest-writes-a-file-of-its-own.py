# tries: nothing wrong: it keeps a small note in its own folder and reads it back
# expect: OK 5
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
