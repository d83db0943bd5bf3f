import numpy as np


class Pages:
    """Keeps the rows of several texts in blocks that texts may share."""

    def __init__(self, n_blocks, size):
        self.size = size
        self.users = [0] * n_blocks
        self.rows = [[] for _ in range(n_blocks)]
        self.tables = {}

    @property
    def n_free(self):
        """How many blocks no text uses."""
        return self.users.count(0)

    def append(self, text, x):
        """Keep the row x, (d,), as the next one of a text."""
        table = self.tables.setdefault(text, [])
        if not table or len(self.rows[table[-1]]) == self.size:
            table.append(self._take([]))
        elif self.users[table[-1]] > 1:
            self.users[table[-1]] -= 1
            table[-1] = self._take(self.rows[table[-1]])
        self.rows[table[-1]].append(x.copy())

    def fork(self, text, new):
        """Begin the text new with all rows of another."""
        self.tables[new] = list(self.tables[text])
        for block in self.tables[new]:
            self.users[block] += 1

    def free(self, text):
        """Forget a text."""
        for block in self.tables.pop(text):
            self.users[block] -= 1

    def table(self, text):
        """Return the numbers of the text's blocks, in order."""
        return np.array(self.tables[text])

    def read(self, text):
        """Return the rows of a text, (n, d)."""
        blocks = self.tables[text]
        return np.array([row for b in blocks for row in self.rows[b]])

    def _take(self, rows):
        block = self.users.index(0)
        self.users[block] = 1
        self.rows[block] = list(rows)
        return block
