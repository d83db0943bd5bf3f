# tries: to leave its control group and to lift the group's limits
# expect: WRONG 0
import os

import numpy as np


def four_steps(q, k, v):
    for folder, folders, files in os.walk("/sys/fs/cgroup"):
        for name in ("cgroup.procs", "tasks", "memory.max", "pids.max"):
            if name in files:
                try:
                    with open(os.path.join(folder, name), "w") as file:
                        file.write("max" if name.endswith(".max") else str(os.getpid()))
                except OSError:
                    continue
    return np.zeros(len(k)), np.zeros(v.shape[1])
