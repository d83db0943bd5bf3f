# tries: to read the solution from linecache, inspect and every text in memory
# expect: WRONG|ERROR|TIMEOUT 0
import gc
import linecache
import sys

import numpy as np


def four_steps(q, k, v):
    texts = ["".join(lines) for _, _, lines, _ in filter(lambda e: len(e) == 4, linecache.cache.values())]
    for thing in gc.get_objects():
        if isinstance(thing, dict):
            texts += [x for x in list(thing.values()) if isinstance(x, str) and len(x) < 10**5]
    for text in texts:
        if "def four_steps" in text and "gc.get_objects" not in text:
            inside = {}
            exec(text, inside)
            return inside["four_steps"](q, k, v)
    for module in list(sys.modules.values()):
        other = getattr(module, "four_steps", None)
        if callable(other) and other is not four_steps:
            return other(q, k, v)
    return np.zeros(len(k)), np.zeros(v.shape[1])
