class KeyValueCache:
    """Keeps keys and values, and attends to all of them."""

    def __init__(self):
        raise NotImplementedError

    @property
    def length(self):
        """How many positions are kept."""
        raise NotImplementedError

    def append(self, k, v):
        """Keep keys (..., m, d_k), values (..., m, d_v) of m positions."""
        raise NotImplementedError

    def step(self, q, k, v):
        """Keep k, v; return weights (..., m, n), context (..., m, d_v)."""
        raise NotImplementedError
