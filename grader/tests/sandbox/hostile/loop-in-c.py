# tries: an endless loop inside C, where no Python signal handler runs
# expect: TIMEOUT 0
import itertools


def four_steps(q, k, v):
    return sum(itertools.repeat(0)), v
