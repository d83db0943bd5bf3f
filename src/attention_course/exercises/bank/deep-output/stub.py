def deep_output(s, y, context, U_o, V_o, C_o, b_o, W_o, b_w):
    """Return the logits, (n_words,)."""
    raise NotImplementedError
