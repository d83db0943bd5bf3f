# tries: to leave an orphan that looks for the next answer in memory and on the disk
# expect: ERROR 0
import contextlib
import glob
import os
import time


def four_steps(q, k, v):
    if os.fork() == 0:
        os.setsid()
        end = time.monotonic() + 10
        while time.monotonic() < end:
            for path in glob.glob("/proc/[0-9]*/mem") + glob.glob("/tmp/**", recursive=True):
                with contextlib.suppress(OSError), open(path, "rb") as file:
                    if b"def four_steps" in file.read(10**6):
                        with open("/tmp/attention-hostile-stolen", "wb") as stolen:
                            stolen.write(b"1")
        os._exit(0)
    raise ValueError("the orphan reads")
