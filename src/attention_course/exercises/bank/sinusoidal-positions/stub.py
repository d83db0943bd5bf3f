def sinusoidal_table(n, d_model, offset=0):
    """Return the vectors (n, d_model) of n positions from offset on."""
    raise NotImplementedError
