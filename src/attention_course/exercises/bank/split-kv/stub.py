def merge_parts(contexts, log_sums):
    """Return the context (..., d_v) and log-sum-exp (...,) of all parts."""
    raise NotImplementedError
