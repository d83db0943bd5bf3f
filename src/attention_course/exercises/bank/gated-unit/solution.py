import numpy as np


def gated_unit(drive, s, U):
    """Return the state after the step, (d,)."""
    d = len(s)
    z, r = np.split(1 / (1 + np.exp(-(drive[d:] + U[d:] @ s))), 2)
    candidate = np.tanh(drive[:d] + U[:d] @ (r * s))
    return (1 - z) * s + z * candidate
