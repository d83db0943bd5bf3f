# tries: to forge the reply after it was sent, when the interpreter ends
# expect: WRONG|PROTOCOL 0
import atexit
import base64
import os

import numpy as np

REPLY = base64.b64decode("@public_reply@")


@atexit.register
def forge():
    for number in range(256):
        try:
            os.write(number, REPLY)
        except OSError:
            continue


def four_steps(q, k, v):
    return np.zeros(len(k)), np.zeros(v.shape[1])
