# tries: to carry the hidden inputs out in the message of an error
# expect: ERROR 0
def four_steps(q, k, v):
    raise ValueError(f"{q.tolist()} {k.tolist()} {v.tolist()}")
