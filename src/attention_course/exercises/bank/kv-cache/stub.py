class KeyValueCache:
    """Keeps keys and values, and attends to all of them."""

    def __init__(self):
        raise NotImplementedError

    @property
    def length(self):
        """How many positions are kept."""
        raise NotImplementedError

    def append(self, k, v):
        """Keep the keys (..., m, d_k) and the values (..., m, d_v) of m positions."""
        raise NotImplementedError

    def step(self, q, k, v):
        """Keep k and v; return the weights (..., m, n) and the context (..., m, d_v)."""
        raise NotImplementedError
