def right_elsewhere(weights, own, right):
    """Return the words that look elsewhere (n, n_y) and their share."""
    raise NotImplementedError
