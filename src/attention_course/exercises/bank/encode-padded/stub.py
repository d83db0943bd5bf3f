def encode_padded(x, lengths, W_x, W_h, b):
    """Return the states (batch, n_words, d) and the fixed vectors (batch, d)."""
    raise NotImplementedError
