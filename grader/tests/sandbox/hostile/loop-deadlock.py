# tries: to take the same lock twice
# expect: TIMEOUT 0
import threading

lock = threading.Lock()


def four_steps(q, k, v):
    with lock, lock:
        return k @ q, v
