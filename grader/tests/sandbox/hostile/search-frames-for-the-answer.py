# tries: to find what is expected in the frames above it and among all objects
# expect: WRONG|ERROR|TIMEOUT 0
import gc
import sys

import numpy as np


def four_steps(q, k, v):
    frame = sys._getframe(1)
    while frame:
        for place in (frame.f_locals, frame.f_globals):
            for name in ("solution", "reference", "answer", "expected", "right", "wanted"):
                found = place.get(name)
                if callable(found):
                    return found(q, k, v)
                values = getattr(found, "values", None)
                if isinstance(values, list) and len(values) == 2:
                    return values
                if isinstance(found, tuple) and len(found) == 2:
                    return found
        frame = frame.f_back
    shapes = (len(k),), (v.shape[1],)
    arrays = [x for x in gc.get_objects() if isinstance(x, np.ndarray)]
    first = [x for x in arrays if x.shape == shapes[0] and abs(x.sum() - 1) < 1e-9]
    second = [x for x in arrays if x.shape == shapes[1] and x is not q]
    if first and second:
        return first[0], second[0]
    return np.zeros(shapes[0]), np.zeros(shapes[1])
