# tries: to take all memory and to swallow the error, for ever
# expect: MEMORY|TIMEOUT|DIED 0
def four_steps(q, k, v):
    kept, size = [], 2**24
    while True:
        try:
            kept.append(bytearray(b"x") * size)
        except MemoryError:
            size = max(1, size // 2)
