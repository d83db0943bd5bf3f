# tries: a file of a terabyte with nothing in it
# expect: ERROR|DIED|WRONG 0
import os


def four_steps(q, k, v):
    with open("attention-hostile", "wb") as file:
        os.ftruncate(file.fileno(), 2**40)
    return 0.0, 0.0
