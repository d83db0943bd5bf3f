class PrefixTree:
    """Keeps full blocks of prompts; n_blocks says how many."""

    def __init__(self, size):
        raise NotImplementedError

    def add(self, prompt):
        """Keep a prompt; return how many of its tokens are computed."""
        raise NotImplementedError
