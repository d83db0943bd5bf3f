# tries: a regular expression that backtracks for ever
# expect: TIMEOUT 0
import re


def four_steps(q, k, v):
    return re.match(r"(a+)+$", "a" * 60 + "b"), v
