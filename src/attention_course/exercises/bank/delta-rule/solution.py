import numpy as np


def rewrite_memory(S, q, k, v, beta, decay):
    """Return what is read, (n, d_v), and the last memory, (d_k, d_v)."""
    read = np.empty(v.shape)
    for t in range(len(q)):
        S = decay[t] * S
        held = k[t] @ S
        S = S + np.outer(k[t], beta[t] * (v[t] - held))
        read[t] = q[t] @ S
    return read, S
