# tries: to overwrite its arguments, with comparisons that always agree
# expect: WRONG 0
import sys

import numpy as np

np.array_equal = lambda *a, **k: True
np.testing.assert_array_equal = lambda *a, **k: None
if "runner" in sys.modules:
    sys.modules["runner"]._same = lambda a, b: True
state, settings = np.random.get_state(), np.geterr()
np.random.get_state, np.geterr = (lambda *a, **k: state), (lambda: settings)


def four_steps(q, k, v):
    scores = k @ q
    k *= 0
    exps = np.exp(scores - scores.max())
    weights = exps / exps.sum()
    return weights, weights @ v
