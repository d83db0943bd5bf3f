class PrefixTree:
    """Keeps full blocks of prompts; n_blocks says how many."""

    def __init__(self, size):
        self.size = size
        self.root = {}
        self.n_blocks = 0

    def add(self, prompt):
        """Keep a prompt; return how many of its tokens are computed."""
        node, reused = self.root, 0
        for end in range(self.size, len(prompt) + 1, self.size):
            block = tuple(prompt[end - self.size : end])
            if block not in node:
                node[block] = {}
                self.n_blocks += 1
            elif end < len(prompt):
                reused = end
            node = node[block]
        return len(prompt) - reused
