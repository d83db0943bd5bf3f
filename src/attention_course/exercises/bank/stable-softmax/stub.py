def stable_softmax(x, axis=-1, mask=None):
    """Return weights that sum to 1 along axis; mask: True = may attend."""
    raise NotImplementedError
