# tries: to close every file descriptor, the reply's among them
# expect: DIED|PROTOCOL 0
import os


def four_steps(q, k, v):
    os.closerange(0, 4096)
    return [1.0] * len(k), v[0]
