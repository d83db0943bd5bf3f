# tries: a fork bomb
# expect: TIMEOUT|DIED|ERROR|MEMORY 0
import os


def four_steps(q, k, v):
    while True:
        try:
            os.fork()
        except OSError:
            continue
