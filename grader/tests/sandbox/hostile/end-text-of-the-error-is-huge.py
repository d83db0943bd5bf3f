# tries: an exception with a text of 200 MB
# expect: ERROR|MEMORY|OUTPUT 0
def four_steps(q, k, v):
    raise ValueError("x" * 200_000_000)
