import numpy as np


class KeyValueCache:
    """Keeps keys and values, and attends to all of them."""

    def __init__(self):
        self.k = self.v = None

    @property
    def length(self):
        """How many positions are kept."""
        return 0 if self.k is None else self.k.shape[-2]

    def append(self, k, v):
        """Keep keys (..., m, d_k), values (..., m, d_v) of m positions."""
        if self.k is not None:
            k = np.concatenate([self.k, k], axis=-2)
            v = np.concatenate([self.v, v], axis=-2)
        else:  # the caller may write over its own
            k, v = k.copy(), v.copy()
        self.k, self.v = k, v

    def step(self, q, k, v):
        """Keep k, v; return weights (..., m, n), context (..., m, d_v)."""
        self.append(k, v)
        m, n = q.shape[-2], self.length
        scores = q @ np.swapaxes(self.k, -1, -2) / np.sqrt(q.shape[-1])
        i, j = np.arange(n - m, n)[:, None], np.arange(n)
        scores = np.where(j <= i, scores, -np.inf)
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = exps / exps.sum(axis=-1, keepdims=True)
        return weights, weights @ self.v
