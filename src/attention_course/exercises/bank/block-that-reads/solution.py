import numpy as np


def normalised(x, gain, shift):
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return gain * centred / np.sqrt(variance + 1e-5) + shift


def attended(x, seen, p, mask):
    def heads(x, W):
        x = np.concatenate([x, np.ones((*x.shape[:-1], 1))], axis=-1)
        cut = (x @ W).reshape(*x.shape[:-1], p["n_heads"], -1)
        return np.swapaxes(cut, -3, -2)

    q = heads(x, p["W_q"])
    k, v = heads(seen, p["W_k"]), heads(seen, p["W_v"])
    scores = q @ np.moveaxis(k, -1, -2) / np.sqrt(q.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    joined = np.swapaxes(weights @ v, -3, -2).reshape(x.shape)
    return joined @ p["W_o"] + p["b_o"]


def block_that_reads(x, p, mask):
    """Return the vectors (batch, n, d) that leave the block."""
    x = normalised(x + attended(x, x, p, mask), p["gain_1"], p["shift_1"])
    hidden = np.maximum(0, x @ p["W_1"] + p["b_1"])
    further = hidden @ p["W_2"] + p["b_2"]
    return normalised(x + further, p["gain_2"], p["shift_2"])
