# tries: to leave its marks everywhere for the next one: files, modules, memory, environment
# expect: ERROR 0
import builtins
import contextlib
import os
import sys
import types

import numpy as np


def four_steps(q, k, v):
    builtins.attention_hostile = True
    sys.modules["attention_hostile"] = types.ModuleType("attention_hostile")
    os.environ["ATTENTION_HOSTILE"] = "1"
    np.exp = np.cos
    for folder in ("/tmp", "/dev/shm", ".", os.path.expanduser("~"), "/var/tmp", "/run"):
        with contextlib.suppress(OSError), open(f"{folder}/attention-hostile", "w") as file:
            file.write("hostile")
    raise ValueError("left")
