# tries: to become another program
# expect: DIED|ERROR|PROTOCOL 0
import os
import sys


def four_steps(q, k, v):
    os.execv(sys.executable, [sys.executable, "-c", "print('OK 5')"])
