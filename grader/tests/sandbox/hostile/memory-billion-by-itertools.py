# tries: a list of a billion
# expect: MEMORY|ERROR|TIMEOUT|DIED 0
import itertools


def four_steps(q, k, v):
    return list(itertools.repeat(0.0, 10**9)), v
