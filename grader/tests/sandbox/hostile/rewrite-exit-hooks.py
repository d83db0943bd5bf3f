# tries: hooks that run code when it ends: excepthook, a destructor, a thread
# expect: ERROR|DIED 0
import os
import sys
import threading


class Last:
    def __del__(self):
        os._exit(0)


kept = Last()
sys.excepthook = threading.excepthook = sys.unraisablehook = lambda *args: os._exit(0)


def four_steps(q, k, v):
    raise ValueError(kept)
