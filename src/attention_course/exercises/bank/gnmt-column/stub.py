def gate(a):
    return 1 / (1 + np.exp(-a))


def one_lstm(inputs, m, c, W, b):
    """Return output and cell of one LSTM after a step (this is given)."""
    i, f, g, o = np.split(W @ np.concatenate([inputs, m]) + b, 4)
    c = gate(f) * c + gate(i) * np.tanh(g)
    return gate(o) * np.tanh(c), c


def column_step(y, m, c, annotations, W_a, U_a, v_a, W, b):
    """Return the top m (d,), all m and c (layers, d), weights (source,)."""
    raise NotImplementedError
