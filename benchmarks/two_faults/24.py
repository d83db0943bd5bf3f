# EXERCISE local-p
# FAULT sigma is D
# FAULT the window's edges are left out
import numpy as np


def local_p_weights(scores, h, W_p, v_p, D):
    S = scores.shape[-1]
    p = S / (1 + np.exp(-(np.tanh(h @ W_p.T) @ v_p)))
    weights = np.zeros(scores.shape)
    for t in range(len(p)):
        s = np.arange(S)
        near = s[abs(s - p[t]) < D]
        e = scores[t, near]
        e = np.exp(e - e.max())
        e = e / e.sum()
        weights[t, near] = e * np.exp(-((near - p[t]) ** 2) / (2 * D**2))
    return p, weights
