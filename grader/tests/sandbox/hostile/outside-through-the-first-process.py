# tries: to reach the host's files through /proc: roots, folders and open files of others
# expect: WRONG 0
import contextlib
import os

import numpy as np

PATHS = "@canaries@".split(":")


def four_steps(q, k, v):
    for process in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else "123456789"):
        for root in ("root", "cwd", "cwd/../../../../../.."):
            for path in PATHS:
                with contextlib.suppress(OSError), open(
                    f"/proc/{process}/{root}{path}", "w"
                ) as file:
                    file.write("hostile")
        with contextlib.suppress(OSError):
            for number in os.listdir(f"/proc/{process}/fd"):
                if process != str(os.getpid()):
                    with contextlib.suppress(OSError):
                        target = os.open(
                            f"/proc/{process}/fd/{number}", os.O_WRONLY | os.O_NONBLOCK
                        )
                        os.write(target, b"hostile")
    return np.zeros(len(k)), np.zeros(v.shape[1])
