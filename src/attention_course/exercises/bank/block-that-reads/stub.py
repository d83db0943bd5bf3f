def block_that_reads(x, p, mask):
    """Return the vectors (batch, n, d) that leave the block."""
    raise NotImplementedError
