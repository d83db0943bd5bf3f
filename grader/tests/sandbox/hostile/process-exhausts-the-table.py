# tries: to hold every process it may have, and then to go wrong
# expect: ERROR|DIED|MEMORY 0
import os
import time


def four_steps(q, k, v):
    while True:
        if os.fork() == 0:
            time.sleep(3600)
            os._exit(0)
