# tries: to leave by SystemExit, which a careless harness takes for success
# expect: ERROR 0
import sys


def four_steps(q, k, v):
    sys.exit(0)
