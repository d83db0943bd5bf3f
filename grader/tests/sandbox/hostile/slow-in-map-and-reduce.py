# tries: to loop over the samples in map and reduce, without a line of Python
# exercise: reinforce-gradient
# expect: WRONG 5
import functools

import numpy as np


def reinforce_estimate(scores, choices, rewards, baseline):
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    w = exps / exps.sum(axis=1, keepdims=True)
    eye, n = np.eye(scores.shape[1]), choices.shape[1]
    gain = (rewards - baseline[:, None]).T[:, :, None]
    rows = map(np.multiply, gain, map(np.subtract, map(eye.take, choices.T, [0] * n), [w] * n))
    return functools.reduce(np.add, rows) / n
