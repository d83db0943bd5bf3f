import numpy as np


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    """Return the new state (d,), the context (d_h,), the weights (n_x,)."""
    scores = np.tanh(W_a @ s + h @ U_a.T) @ v_a
    exps = np.exp(scores - scores.max())
    weights = exps / exps.sum()
    context = weights @ h
    d = len(s)
    drive = W @ y + C @ context + b
    z, r = np.split(1 / (1 + np.exp(-(drive[d:] + U[d:] @ s))), 2)
    candidate = np.tanh(drive[:d] + U[:d] @ (r * s))
    new = (1 - z) * s + z * candidate
    return new, context, weights
