def induction_score(weights, tokens):
    """Return how far each head looks behind earlier copies, (n_heads,)."""
    raise NotImplementedError
