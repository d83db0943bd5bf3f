# tries: an exception whose text cannot be asked for
# expect: ERROR|DIED 0
class Silent(Exception):
    def __str__(self):
        raise ValueError("no text")

    __repr__ = __str__


def four_steps(q, k, v):
    raise Silent
