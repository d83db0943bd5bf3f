import numpy as np


def merge_parts(contexts, log_sums):
    """Return the context (..., d_v) and log-sum-exp (...,) of all parts."""
    top = log_sums.max(axis=0)
    sums = np.exp(log_sums - top)
    total = sums.sum(axis=0)
    shares = sums / total
    context = (shares[..., None] * contexts).sum(axis=0)
    return context, top + np.log(total)
