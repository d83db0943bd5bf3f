# EXERCISE sinusoidal-positions
# FAULT the base is 1000
# FAULT the offset is ignored
import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    pe = np.zeros((n, d_model))
    for pos in range(n):
        for i in range(0, d_model, 2):
            angle = pos / (1000 ** (i / d_model))
            pe[pos, i] = np.sin(angle)
            pe[pos, i + 1] = np.cos(angle)
    return pe
