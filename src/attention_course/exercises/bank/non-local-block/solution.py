import numpy as np


def thinned(rows, height, width):
    """Keep the largest of each square of places, (n, N / 4, d)."""
    n, _, d = rows.shape
    squares = rows.reshape(n, height // 2, 2, width // 2, 2, d)
    return squares.max(axis=(2, 4)).reshape(n, -1, d)


def non_local_block(x, W_q, W_k, W_v, W_z, way):
    """Return maps (n, channels, height, width), weights (n, N, N / 4)."""
    n, channels, height, width = x.shape
    X = np.swapaxes(x.reshape(n, channels, -1), 1, 2)
    keys = thinned(X @ W_k, height, width)
    values = thinned(X @ W_v, height, width)
    scores = X @ W_q @ np.swapaxes(keys, 1, 2)
    if way == "softmax":
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = exps / exps.sum(axis=-1, keepdims=True)
    else:
        weights = scores / keys.shape[1]
    Z = X + weights @ values @ W_z
    return np.swapaxes(Z, 1, 2).reshape(x.shape), weights
