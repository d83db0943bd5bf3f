# tries: to see who else is on the machine: home folders, other submissions, other processes
# expect: ERROR 0
import contextlib
import os


def four_steps(q, k, v):
    seen = []
    for folder in ("/", "/home", "/root", "/var", "/srv", "/mnt", "/tmp", "."):
        with contextlib.suppress(OSError):
            seen += os.listdir(folder)
    raise ValueError(" ".join(seen))
