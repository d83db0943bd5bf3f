import numpy as np


def cut_word(weights, states, j):
    """Return alignment (n_y,), contexts (n_y, d) and distances (n_y,)."""
    alignment = weights.argmax(axis=1)
    kept = np.where(np.arange(len(states)) == j, 0.0, weights)
    total = kept.sum(axis=1, keepdims=True)
    kept = kept / np.where(total > 0, total, 1.0)
    contexts = kept @ states
    moved = np.linalg.norm(contexts - weights @ states, axis=1)
    return alignment, contexts, moved
