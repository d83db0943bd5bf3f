# tries: to return an object that runs a command where it is unpickled
# expect: ERROR|WRONG 0
import os


class Command:
    def __reduce__(self):
        return os.system, ("touch /tmp/attention-hostile",)


def four_steps(q, k, v):
    return Command(), Command()
