# tries: nothing wrong: a right answer that raises if anybody left anything before it
# expect: OK 5
import builtins
import glob
import os
import sys

import numpy as np

found = [
    path
    for folder in ("/tmp", "/dev/shm", ".", os.path.expanduser("~"), "/var/tmp", "/run")
    for path in glob.glob(f"{folder}/*attention-hostile*")
]
found += [name for name in sys.modules if "hostile" in name]
found += [name for name in os.environ if "HOSTILE" in name]
found += ["builtins"] if hasattr(builtins, "attention_hostile") else []
found += ["numpy"] if np.exp(0.0) != 1.0 or np.allclose(0, 1) or abs(np.pi - 3.14159) > 1 else []
if os.path.isdir("/proc") and len([p for p in os.listdir("/proc") if p.isdigit()]) > 6:
    found.append("processes")
if found:
    raise RuntimeError(f"left by a neighbour: {found}")


def four_steps(q, k, v):
    exps = np.exp(k @ q - (k @ q).max())
    weights = exps / exps.sum()
    return weights, weights @ v
