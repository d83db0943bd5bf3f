# tries: to attach to the process above it and to write into its memory
# expect: WRONG|DIED 0
import ctypes
import os

import numpy as np


def four_steps(q, k, v):
    libc = ctypes.CDLL(None, use_errno=True)
    for process in (os.getppid(), 1):
        libc.ptrace(16, process, 0, 0)
        libc.waitpid(process, None, 1)
        libc.ptrace(5, process, ctypes.c_void_p(0x400000), ctypes.c_void_p(0))
        try:
            with open(f"/proc/{process}/maps") as maps, open(
                f"/proc/{process}/mem", "r+b", 0
            ) as memory:
                for line in maps:
                    if " rw" in line and "heap" in line:
                        memory.seek(int(line.split("-")[0], 16))
                        memory.write(b"\0" * 4096)
        except (OSError, ValueError, OverflowError):
            continue
    return np.zeros(len(k)), np.zeros(v.shape[1])
