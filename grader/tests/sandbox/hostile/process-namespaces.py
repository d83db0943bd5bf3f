# tries: new namespaces, a new root, mounts and capabilities
# expect: WRONG 0
import ctypes
import os

import numpy as np


def four_steps(q, k, v):
    libc = ctypes.CDLL(None, use_errno=True)
    gained = []
    for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x10020000, 0x7E020000):
        gained.append(libc.unshare(flag) == 0)
    gained.append(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0)
    gained.append(libc.mount(b"proc", b"/proc", b"proc", 0, None) == 0)
    gained.append(libc.chroot(b"/tmp") == 0)
    gained.append(libc.setuid(0) == 0 and os.getuid() == 0)
    gained.append(libc.sethostname(b"hostile", 7) == 0)
    if any(gained):
        while True:
            pass
    return np.zeros(len(k)), np.zeros(v.shape[1])
