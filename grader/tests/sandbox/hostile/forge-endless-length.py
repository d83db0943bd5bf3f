# tries: a reply that says it is four gigabytes long
# expect: PROTOCOL|DIED 0
import os


def four_steps(q, k, v):
    for number in range(1, 256):
        try:
            os.write(number, b"\xff\xff\xff\xff" + b"{" * 64)
        except OSError:
            continue
    os._exit(0)
