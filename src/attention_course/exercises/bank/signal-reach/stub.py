def layers_between(reads):
    """Return how many layers each output is from each input: (n, n)."""
    raise NotImplementedError
