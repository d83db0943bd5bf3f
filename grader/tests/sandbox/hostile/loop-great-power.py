# tries: a power with hundreds of millions of digits
# expect: TIMEOUT|MEMORY 0
def four_steps(q, k, v):
    return 9 ** (9**9), v
