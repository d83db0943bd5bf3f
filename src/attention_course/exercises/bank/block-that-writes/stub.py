def block_that_writes(y, p, found, memory, mask):
    """Return the vectors (batch, n, d) that leave the block."""
    raise NotImplementedError
