import numpy as np


def normalised(x, gain, shift):
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return gain * centred / np.sqrt(variance + 1e-5) + shift


def attention(h, p):
    q, k, v = h @ p["W_q"], h @ p["W_k"], h @ p["W_v"]
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v @ p["W_o"]


def encoder_block(x, p):
    """Return the vectors (..., n, d) that leave the block."""
    h = normalised(x, p["gain_1"], p["shift_1"])
    z = x + attention(h, p)
    h = normalised(z, p["gain_2"], p["shift_2"])
    hidden = np.maximum(0, h @ p["W_1"] + p["b_1"])
    return z + hidden @ p["W_2"] + p["b_2"]
