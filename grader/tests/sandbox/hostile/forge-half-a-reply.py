# tries: half a reply, and then silence
# expect: TIMEOUT|PROTOCOL 0
import base64
import os
import time

REPLY = base64.b64decode("@public_reply@")


def four_steps(q, k, v):
    for number in range(1, 256):
        try:
            os.write(number, REPLY[: len(REPLY) // 2])
        except OSError:
            continue
    time.sleep(3600)
