# tries: links from its own folder to files of the host, and to write through them
# expect: WRONG 0
import contextlib
import os

import numpy as np


def four_steps(q, k, v):
    for number, path in enumerate("@canaries@".split(":")):
        for make in (os.link, os.symlink):
            name = f"/tmp/attention-hostile-{make.__name__}-{number}"
            with contextlib.suppress(OSError):
                make(path, name)
            with contextlib.suppress(OSError), open(name, "w") as file:
                file.write("hostile")
    return np.zeros(len(k)), np.zeros(v.shape[1])
