# tries: lists of numbers that run code where they are turned into floats
# expect: DIED 0
import os


class Number(float):
    def __float__(self):
        os._exit(0)


class Row(list):
    def __len__(self):
        os._exit(0)


def four_steps(q, k, v):
    return Row([Number(0.2)] * len(k)), v[0]
