import numpy as np


def normalise_vectors(x, gain, shift):
    """Return the normalised vectors, of the shape of x (..., n, d)."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return gain * centred / np.sqrt(variance + 1e-5) + shift
