# EXERCISE bahdanau-step
# FAULT the reset gate acts after the matrix
# FAULT the scores have no tanh
import numpy as np


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    n = len(s)
    scores = (W_a @ s + h @ U_a.T) @ v_a
    w = np.exp(scores - np.max(scores))
    w = w / np.sum(w)
    c = w @ h
    x = W @ y + C @ c + b
    hh = U @ s
    gate = lambda lo, hi: 1 / (1 + np.exp(-(x[lo:hi] + hh[lo:hi])))
    z, r = gate(n, 2 * n), gate(2 * n, 3 * n)
    cand = np.tanh(x[:n] + r * hh[:n])
    return s + z * (cand - s), c, w
