def spread_penalty(weights, lengths):
    """Return the penalty of each caption, (n_captions,)."""
    raise NotImplementedError
