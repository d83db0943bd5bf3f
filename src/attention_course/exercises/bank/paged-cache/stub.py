class Pages:
    """Keeps the rows of several texts in blocks that texts may share."""

    def __init__(self, n_blocks, size):
        raise NotImplementedError

    @property
    def n_free(self):
        """How many blocks no text uses."""
        raise NotImplementedError

    def append(self, text, x):
        """Keep the row x, (d,), as the next one of a text."""
        raise NotImplementedError

    def fork(self, text, new):
        """Begin the text new with all rows of another."""
        raise NotImplementedError

    def free(self, text):
        """Forget a text."""
        raise NotImplementedError

    def table(self, text):
        """Return the numbers of the text's blocks, in order."""
        raise NotImplementedError

    def read(self, text):
        """Return the rows of a text, (n, d)."""
        raise NotImplementedError
