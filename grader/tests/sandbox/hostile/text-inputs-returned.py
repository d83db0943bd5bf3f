# tries: to carry the hidden inputs out in the complaint about a wrong value
# expect: WRONG 0
def four_steps(q, k, v):
    return [q[0]] * len(k), v[0]
