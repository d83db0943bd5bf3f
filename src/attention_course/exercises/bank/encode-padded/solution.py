import numpy as np


def encode_padded(x, lengths, W_x, W_h, b):
    """Return states (batch, n_words, d) and fixed vectors (batch, d)."""
    batch, n_words, _ = x.shape
    h = np.zeros((batch, len(b)))
    states = np.zeros((batch, n_words, len(b)))
    for t in range(n_words):
        is_word = (t < lengths)[:, None]
        h = np.where(is_word, np.tanh(x[:, t] @ W_x.T + h @ W_h.T + b), h)
        states[:, t] = np.where(is_word, h, 0)
    return states, h
