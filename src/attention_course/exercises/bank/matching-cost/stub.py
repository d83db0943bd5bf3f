def matching_cost(probabilities, boxes, names, true_boxes):
    """Return the cost of every pair, (n_objects, n_queries)."""
    raise NotImplementedError
