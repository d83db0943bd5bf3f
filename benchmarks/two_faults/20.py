# EXERCISE bahdanau-step
# FAULT the update gate keeps the old state
# FAULT the bias is left out
import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    d = s.shape[0]
    e = np.array([v_a @ np.tanh(W_a @ s + U_a @ h_j) for h_j in h])
    e = np.exp(e - e.max())
    alpha = e / e.sum()
    c = alpha @ h
    a = W @ y + C @ c
    z = sigmoid(a[d : 2 * d] + U[d : 2 * d] @ s)
    r = sigmoid(a[2 * d :] + U[2 * d :] @ s)
    new = np.tanh(a[:d] + U[:d] @ (r * s))
    return z * s + (1 - z) * new, c, alpha
