# EXERCISE input-feeding
# FAULT nothing is fed in
# FAULT the scores are divided by the square root of the width
import numpy as np


def feed_inputs(y, states, h_0, W, U, W_c):
    d_y = y.shape[1]
    d = states.shape[1]
    h = h_0
    res, alphas = [], []
    for t in range(y.shape[0]):
        h = np.tanh(W[:, :d_y] @ y[t] + U @ h)
        s = states @ h / np.sqrt(d)
        s = s - s.max()
        alpha = np.exp(s) / np.exp(s).sum()
        c = alpha @ states
        res.append(np.tanh(W_c @ np.hstack((c, h))))
        alphas.append(alpha)
    return np.vstack(res), np.vstack(alphas)
