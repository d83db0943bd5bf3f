# tries: a forged reply first, its own wrong answer after it
# expect: WRONG|PROTOCOL 0
import base64
import os

import numpy as np

REPLY = base64.b64decode("@public_reply@")


def four_steps(q, k, v):
    for number in range(256):
        try:
            os.write(number, REPLY)
        except OSError:
            continue
    return np.zeros(len(k)), np.zeros(v.shape[1])
