def corrected_p_values(swings, signs):
    """Return a corrected p-value for each head, (n_heads,)."""
    raise NotImplementedError
