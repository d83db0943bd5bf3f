# tries: to reach a notebook's machinery: input transformers, magics, the shell
# expect: ERROR|WRONG 0
import numpy as np

shell = globals().get("get_ipython", lambda: None)()
if shell is not None:
    shell.input_transformers_post.append(lambda lines: [])
    shell.run_cell_magic("bash", "", "touch /tmp/attention-hostile")


def four_steps(q, k, v):
    return np.zeros(len(k)), np.zeros(v.shape[1])
