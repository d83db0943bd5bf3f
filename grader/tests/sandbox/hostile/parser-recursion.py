# tries: recursion without an end, with the limit taken away
# expect: DIED|ERROR|MEMORY|TIMEOUT 0
import sys

sys.setrecursionlimit(10**9)


def four_steps(q, k, v):
    return four_steps(q, k, v)
