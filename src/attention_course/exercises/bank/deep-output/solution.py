import numpy as np


def deep_output(s, y, context, U_o, V_o, C_o, b_o, W_o, b_w):
    """Return the logits, (n_words,)."""
    pairs = U_o @ s + V_o @ y + C_o @ context + b_o
    larger = np.maximum(pairs[0::2], pairs[1::2])
    return W_o @ larger + b_w
