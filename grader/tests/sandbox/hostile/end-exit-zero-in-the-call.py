# tries: to end the process with status 0 in the middle of a call
# expect: DIED 0
import os


def four_steps(q, k, v):
    os._exit(0)
