# tries: to sleep for an hour, which costs no processor time
# expect: TIMEOUT 0
import time


def four_steps(q, k, v):
    time.sleep(3600)
