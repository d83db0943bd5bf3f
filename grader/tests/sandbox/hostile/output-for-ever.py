# tries: to print for ever, past Python's own streams
# expect: OUTPUT|TIMEOUT 0
import os


def four_steps(q, k, v):
    while True:
        os.write(1, b"y\n" * 4096)
        os.write(2, b"y\n" * 4096)
