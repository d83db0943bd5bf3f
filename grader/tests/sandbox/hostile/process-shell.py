# tries: commands of the shell
# expect: WRONG 0
import contextlib
import os
import subprocess

import numpy as np


def four_steps(q, k, v):
    with contextlib.suppress(OSError):
        os.system("touch $HOME/attention-hostile ~/attention-hostile /tmp/attention-hostile")
    with contextlib.suppress(OSError):
        subprocess.run("echo 5; echo OK; exit 0", shell=True, check=False)
    return np.zeros(len(k)), np.zeros(v.shape[1])
