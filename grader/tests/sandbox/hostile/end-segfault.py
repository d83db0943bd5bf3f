# tries: to read address 0
# expect: DIED 0
import ctypes


def four_steps(q, k, v):
    ctypes.string_at(0)
