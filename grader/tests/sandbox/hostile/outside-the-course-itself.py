# tries: to import the course, or to find its solution on the disk, and to call that
# expect: ERROR 0
import glob
import importlib
import os
import sys

sys.path += ["@package@", os.path.dirname("@package@"), "/usr/src", "."]


def four_steps(q, k, v):
    found = glob.glob("@package@/**/four-steps/solution.py", recursive=True)
    found += glob.glob("/proc/*/root@package@/**/four-steps/solution.py", recursive=True)
    if found:
        exec(open(found[0]).read(), globals())
    bank = importlib.import_module("attention_course.exercises.bank")
    inside = {}
    exec(bank.exercise_named("four-steps").solution, inside)
    return inside["four_steps"](q, k, v)
