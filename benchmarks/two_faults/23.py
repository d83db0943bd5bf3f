# EXERCISE bahdanau-step
# FAULT the largest score is not taken away
# FAULT the context reaches the candidate alone
import numpy as np


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    d = len(s)
    scores = np.tanh(s @ W_a.T + h @ U_a.T) @ v_a
    weights = np.exp(scores) / np.exp(scores).sum()
    context = h.T @ weights
    pre = W @ y + b
    z = 1 / (1 + np.exp(-(pre[d : 2 * d] + U[d : 2 * d] @ s)))
    r = 1 / (1 + np.exp(-(pre[2 * d :] + U[2 * d :] @ s)))
    cand = np.tanh(pre[:d] + C[:d] @ context + U[:d] @ (s * r))
    return z * cand + (1 - z) * s, context, weights
