def encode_padded(x, lengths, W_x, W_h, b):
    """Return states (batch, n_words, d) and fixed vectors (batch, d)."""
    raise NotImplementedError
