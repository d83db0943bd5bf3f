# EXERCISE sinusoidal-positions
# FAULT all sines come first and all cosines behind them
# FAULT positions are counted from 1
import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    position = offset + 1 + np.arange(n)
    rate = np.exp(-np.log(10000) * np.arange(0, d_model, 2) / d_model)
    phase = np.outer(position, rate)
    return np.concatenate([np.sin(phase), np.cos(phase)], axis=1)
