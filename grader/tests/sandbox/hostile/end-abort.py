# tries: abort, which leaves a core file where that is allowed
# expect: DIED 0
import os


def four_steps(q, k, v):
    os.abort()
