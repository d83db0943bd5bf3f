def rollout_map(scores):
    """Return the class token's map of the patches, (n - 1,)."""
    raise NotImplementedError
