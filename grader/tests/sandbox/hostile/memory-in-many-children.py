# tries: to take in each of many children what one may take
# expect: MEMORY|TIMEOUT|DIED|ERROR 0
import os
import time


def four_steps(q, k, v):
    for _ in range(64):
        if os.fork() == 0:
            kept = bytearray(b"x") * (100 * 2**20)
            time.sleep(3600)
    time.sleep(3600)
    return kept, v
