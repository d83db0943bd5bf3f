# tries: an endless loop
# expect: TIMEOUT 0
def four_steps(q, k, v):
    while True:
        pass
