# tries: to leave an orphan that keeps every inherited descriptor and writes into each later
# expect: ERROR 0
import base64
import os
import time

REPLY = base64.b64decode("@public_reply@")


def four_steps(q, k, v):
    if os.fork() == 0:
        os.setsid()
        for _ in range(100):
            time.sleep(0.05)
            for number in range(256):
                try:
                    os.set_blocking(number, False)
                    os.write(number, REPLY)
                except OSError:
                    continue
        os._exit(0)
    raise ValueError("the orphan waits")
