# tries: to start threads until there are none left
# expect: TIMEOUT|DIED|ERROR|MEMORY 0
import threading
import time


def four_steps(q, k, v):
    while True:
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
