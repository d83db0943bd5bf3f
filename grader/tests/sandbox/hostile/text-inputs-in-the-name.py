# tries: to carry the hidden inputs out in the name of an error, and in its line
# expect: ERROR 0
def four_steps(q, k, v):
    raise type(repr(q.tolist()), (Exception,), {})(repr(v.tolist()))
