# tries: to raise what `except Exception` does not catch
# expect: ERROR|DIED 0
def four_steps(q, k, v):
    raise KeyboardInterrupt
