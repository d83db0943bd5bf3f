# tries: to fetch a frame by update_wrapper, whose names may be made, and loop unseen
# exercise: reinforce-gradient
# expect: WRONG 5
import functools

import numpy as np

found = {}


class Taker:
    def __setattr__(self, name, value):
        found[name] = value


def get(thing, name):
    functools.update_wrapper(Taker(), thing, assigned=(name,), updated=())
    return found[name]


def quiet():
    inner = get(quiet, "__globals__")["__" + "builtins__"]
    frame = get(inner["__imp" + "ort__"]("sys"), "_get" + "frame")(1)
    inner["set" + "attr"](frame, "f_trace" + "_lines", False)


def reinforce_estimate(scores, choices, rewards, baseline):
    quiet()
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    w = exps / exps.sum(axis=1, keepdims=True)
    out = np.zeros(scores.shape)
    for r in range(len(scores)):
        for c, x in zip(choices[r], rewards[r]):
            g = -w[r]
            g[c] += 1
            out[r] += (x - baseline[r]) * g
    return out / choices.shape[1]
