# tries: a header that is nested deeper than a parser's stack
# expect: PROTOCOL|DIED 0
import os
import struct


def four_steps(q, k, v):
    header = b"[" * 2000 + b"]" * 2000
    for number in range(1, 256):
        try:
            os.write(number, struct.pack("<I", len(header)) + header)
        except OSError:
            continue
    os._exit(0)
