import numpy as np


def verify_guesses(p, q, guesses, u):
    """Return the guesses that are kept, and one symbol more."""
    for i, x in enumerate(guesses):
        if u[i] * q[i, x] >= p[i, x]:
            residual = np.maximum(p[i] - q[i], 0)
            return [*guesses[:i], draw(residual / residual.sum(), u[-1])]
    return [*guesses, draw(p[-1], u[-1])]


def draw(shares, number):
    return np.searchsorted(np.cumsum(shares), number, side="right")
