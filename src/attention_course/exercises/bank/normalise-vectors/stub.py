def normalise_vectors(x, gain, shift):
    """Return the normalised vectors, of the shape of x (..., n, d)."""
    raise NotImplementedError
