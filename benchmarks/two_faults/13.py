# EXERCISE window-mask
# FAULT the window is one key too wide
# FAULT the first tokens are seen even by those before them
import numpy as np


def long_mask(n_q, n_k, width, first):
    out = np.zeros((n_q, n_k), dtype=bool)
    for row in range(n_q):
        me = n_k - n_q + row
        for col in range(n_k):
            if col < first:
                out[row, col] = True
            elif col <= me and me - col <= width:
                out[row, col] = True
    return out
