# tries: commands of the shell
# expect: WRONG 0
import os
import subprocess

import numpy as np


def four_steps(q, k, v):
    os.system("touch $HOME/attention-hostile ~/attention-hostile /tmp/attention-hostile")
    subprocess.run("echo 5; echo OK; exit 0", shell=True, check=False)
    return np.zeros(len(k)), np.zeros(v.shape[1])
