# tries: to poison sys.modules, the import system and the recycler for whoever comes next
# expect: ERROR|DIED|WRONG|PROTOCOL 0
import builtins
import gc
import sys

import numpy as np


def four_steps(q, k, v):
    np.exp = np.array = np.zeros = np.float64 = None
    np.ndarray = np.ascontiguousarray = None
    sys.modules.update(dict.fromkeys(("json", "struct", "numpy", "os", "socket")))
    sys.meta_path.clear()
    sys.path_hooks.clear()
    gc.disable()
    builtins.__import__ = None
    raise ValueError("all of it is poisoned")
