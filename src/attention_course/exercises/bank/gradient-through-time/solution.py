import numpy as np


def gradient_through_time(x, W, U):
    """Return the norms (n,) of dh_n/dh_t, t = 1 to n; dh_n/dh_1 (d, d)."""
    h, slopes = np.zeros(len(W)), []
    for x_t in x:
        h = np.tanh(W @ h + U @ x_t)
        slopes.append(1 - h**2)
    jacobian, norms = np.eye(len(W)), [1.0]
    for slope in slopes[:0:-1]:
        jacobian = jacobian @ (slope[:, None] * W)
        norms.append(np.linalg.norm(jacobian, 2))
    return np.array(norms[::-1]), jacobian
