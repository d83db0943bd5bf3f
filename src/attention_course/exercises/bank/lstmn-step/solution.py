import numpy as np


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def tape_step(x, summary, hidden_tape, memory_tape, W_h, W_x, W_s, v, W, b):
    """Return the new state, cell, summary, each (d,), weights (past,)."""
    asked = W_x @ x + W_s @ summary
    scores = np.tanh(hidden_tape @ W_h.T + asked) @ v
    exps = np.exp(scores - scores.max(initial=-np.inf))
    s = exps / exps.sum()
    h_mix = s @ hidden_tape
    c_mix = s @ memory_tape
    i, f, g, o = np.split(W @ np.concatenate([h_mix, x]) + b, 4)
    c = sigmoid(f) * c_mix + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    return h, c, h_mix, s
