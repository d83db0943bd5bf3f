# tries: to write the right reply for the public inputs to every descriptor, and to go at once
# expect: WRONG|PROTOCOL|DIED 0
import base64
import os

REPLY = base64.b64decode("@public_reply@")


def four_steps(q, k, v):
    for number in range(256):
        try:
            os.write(number, REPLY)
        except OSError:
            continue
    os._exit(0)
