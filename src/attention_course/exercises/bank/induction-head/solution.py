import numpy as np


def induction_score(weights, tokens):
    """Return how far each head looks behind earlier copies, (n_heads,)."""
    earlier = np.tril(tokens[:, None] == tokens, -1)
    behind = np.zeros(earlier.shape)
    behind[:, 1:] = earlier[:, :-1]
    repeated = earlier.any(axis=1)
    found = (weights * behind).sum(axis=-1)
    return found @ repeated / max(repeated.sum(), 1)
