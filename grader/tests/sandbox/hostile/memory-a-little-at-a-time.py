# tries: to take memory a megabyte at a time
# expect: MEMORY|DIED 0
def four_steps(q, k, v):
    kept = []
    while True:
        kept.append(bytearray(b"x") * 2**20)
