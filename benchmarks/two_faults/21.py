# EXERCISE bahdanau-step
# FAULT update and reset gate change places
# FAULT context and weights change places
import numpy as np


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    energy = np.tanh((W_a @ s)[None] + h @ U_a.T).dot(v_a)
    energy = energy - energy.max()
    alpha = np.exp(energy) / np.exp(energy).sum()
    context = (alpha[:, None] * h).sum(0)
    W_h, W_r, W_z = np.split(W, 3)
    C_h, C_r, C_z = np.split(C, 3)
    b_h, b_r, b_z = np.split(b, 3)
    U_h, U_r, U_z = np.split(U, 3)
    r = 1 / (1 + np.exp(-(W_r @ y + C_r @ context + b_r + U_r @ s)))
    z = 1 / (1 + np.exp(-(W_z @ y + C_z @ context + b_z + U_z @ s)))
    s_hat = np.tanh(W_h @ y + C_h @ context + b_h + U_h @ (r * s))
    return (1 - z) * s + z * s_hat, alpha, context
