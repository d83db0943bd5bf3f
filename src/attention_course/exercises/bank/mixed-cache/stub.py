def cache_bytes(lengths, windows, numbers, each=2):
    """Return the bytes that each text's cache takes up, (texts,)."""
    raise NotImplementedError
