# tries: to leave an orphan in a session of its own that writes into later replies
# expect: ERROR 0
import base64
import os
import time

REPLY = base64.b64decode("@public_reply@")


def four_steps(q, k, v):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            for process in os.listdir("/proc") if os.path.isdir("/proc") else "123456789":
                if not process.isdigit():
                    continue
                for number in range(3, 24):
                    try:
                        target = os.open(
                            f"/proc/{process}/fd/{number}", os.O_WRONLY | os.O_NONBLOCK
                        )
                        os.write(target, REPLY)
                        os.close(target)
                    except OSError:
                        continue
        os._exit(0)
    raise ValueError("the orphan waits")
