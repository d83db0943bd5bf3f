# tries: to keep the hidden inputs in files and processes, and to say them in a public run
# expect: ERROR 0
import contextlib
import glob
import os


def four_steps(q, k, v):
    said = []
    for path in glob.glob("/tmp/attention-hostile*") + glob.glob("/dev/shm/attention-hostile*"):
        with contextlib.suppress(OSError), open(path) as file:
            said.append(file.read())
    for folder in ("/tmp", "/dev/shm", "."):
        with contextlib.suppress(OSError), open(
            f"{folder}/attention-hostile-{os.getpid()}", "w"
        ) as file:
            file.write(repr(q.tolist()))
    raise ValueError(" ".join(said))
