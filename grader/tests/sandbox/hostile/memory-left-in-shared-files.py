# tries: to leave full files in /dev/shm and /tmp for its neighbours
# expect: ERROR|MEMORY|DIED|TIMEOUT 0
import itertools


def four_steps(q, k, v):
    for number in itertools.count():
        for folder in ("/dev/shm", "/tmp", "."):
            try:
                with open(f"{folder}/attention-hostile-{number}", "wb") as file:
                    file.write(b"x" * 2**22)
            except PermissionError:
                continue
