import numpy as np


def corrected_p_values(swings, signs):
    """Return a corrected p-value for each head, (n_heads,)."""
    seen = np.abs(swings.mean(axis=0))
    drawn = np.abs(signs @ swings) / len(swings)
    largest = drawn.max(axis=1)
    as_large = (largest[:, None] >= seen).sum(axis=0)
    return (1 + as_large) / (1 + len(signs))
