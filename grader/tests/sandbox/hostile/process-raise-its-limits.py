# tries: to raise every limit, and then to take four gigabytes
# expect: ERROR|MEMORY|DIED 0
import resource


def four_steps(q, k, v):
    for name in dir(resource):
        if name.startswith("RLIMIT_"):
            for limit in ((-1, -1), (2**40, 2**40)):
                try:
                    resource.setrlimit(getattr(resource, name), limit)
                except (OSError, ValueError):
                    continue
    return bytearray(b"x") * 2**32, v
