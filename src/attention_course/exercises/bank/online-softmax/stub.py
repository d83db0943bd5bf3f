def attend_blockwise(q, blocks):
    """Return the context and the log of each sum of exponentials."""
    raise NotImplementedError
