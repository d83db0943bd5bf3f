import numpy as np


def chosen_blocks(q, k, size, chosen):
    """Return which blocks each query reads: booleans (n_q, n_blocks)."""
    n_blocks, whole = -(-len(k) // size), len(k) // size
    mine = (len(k) - len(q) + np.arange(len(q)))[:, None] // size
    block = np.arange(n_blocks)
    earlier = block < mine
    cut = k[: whole * size].reshape(whole, size, -1)
    summaries = np.zeros((n_blocks, k.shape[1]))
    summaries[:whole] = cut.mean(axis=1)
    scores = np.where(earlier, q @ summaries.T, -np.inf)
    rank = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
    best = earlier & (rank < chosen - 1)
    return best | (block == mine)
