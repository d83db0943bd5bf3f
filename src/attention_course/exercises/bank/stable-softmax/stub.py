def stable_softmax(x, axis=-1, mask=None):
    """Return weights that add up to 1 along an axis; mask: True = may be attended to."""
    raise NotImplementedError
