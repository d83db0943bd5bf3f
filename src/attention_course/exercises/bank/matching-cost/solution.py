import numpy as np


def matching_cost(probabilities, boxes, names, true_boxes):
    """Return the cost of every pair, (n_objects, n_queries)."""
    apart = np.abs(true_boxes[:, None] - boxes).sum(axis=-1)
    cost = 5 * apart - probabilities[:, names].T
    return np.where(names[:, None] >= 0, cost, 0.0)
