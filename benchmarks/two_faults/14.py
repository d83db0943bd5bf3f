# EXERCISE window-mask
# FAULT the first tokens are forgotten
# FAULT the mask is turned over
import numpy as np


def long_mask(n_q, n_k, width, first):
    offset = n_k - n_q
    i = np.arange(offset, n_k)[:, None]
    j = np.arange(n_k)[None, :]
    too_late = j > i
    too_old = i - j >= width
    return too_late | too_old
