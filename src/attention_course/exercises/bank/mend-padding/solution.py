import numpy as np


def attend_padded(x, lengths, n_heads):
    """Return the outputs (batch, n, d) of a batch that is padded behind."""
    batch, n, d = x.shape
    heads = x.reshape(batch, n, n_heads, -1).swapaxes(1, 2)
    heads = heads.reshape(batch * n_heads, n, d // n_heads)
    real = np.arange(n) < lengths[:, None]
    may = np.repeat(real, n_heads, axis=0)[:, None]
    scores = heads @ heads.swapaxes(1, 2) / np.sqrt(d // n_heads)
    scores = np.where(may, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total == 0, 1, total)
    z = (weights @ heads).reshape(batch, n_heads, n, -1)
    return z.swapaxes(1, 2).reshape(batch, n, d)
