# tries: an exception whose text takes for ever
# expect: TIMEOUT 0
class Slow(Exception):
    def __str__(self):
        while True:
            pass


def four_steps(q, k, v):
    raise Slow
