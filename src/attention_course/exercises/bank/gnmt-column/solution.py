import numpy as np


def gate(a):
    return 1 / (1 + np.exp(-a))


def one_lstm(inputs, m, c, W, b):
    """Return output and cell of one LSTM after a step (this is given)."""
    i, f, g, o = np.split(W @ np.concatenate([inputs, m]) + b, 4)
    c = gate(f) * c + gate(i) * np.tanh(g)
    return gate(o) * np.tanh(c), c


def column_step(y, m, c, annotations, W_a, U_a, v_a, W, b):
    """Return the top m (d,), all m and c (layers, d), weights (source,)."""
    scores = np.tanh(annotations @ U_a.T + W_a @ m[0]) @ v_a
    exps = np.exp(scores - scores.max())
    weights = exps / exps.sum()
    context = weights @ annotations
    x = y
    new_m, new_c = np.empty_like(m), np.empty_like(c)
    for layer in range(len(W)):
        inputs = np.concatenate([x, context])
        one = m[layer], c[layer], W[layer], b[layer]
        new_m[layer], new_c[layer] = one_lstm(inputs, *one)
        x = new_m[layer] + x if layer >= 2 else new_m[layer]
    return x, new_m, new_c, weights
