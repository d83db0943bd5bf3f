import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    """Return the vectors (n, d_model) of n positions from offset on."""
    t = np.arange(offset, offset + n)[:, None]
    i = np.arange(d_model // 2)
    angles = t / 10000 ** (2 * i / d_model)
    P = np.empty((len(t), d_model))
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles)
    return P
