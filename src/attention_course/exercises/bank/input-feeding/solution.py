import numpy as np


def feed_inputs(y, states, h_0, W, U, W_c):
    """Return attentional vectors (n_y, d_out) and weights (n_y, n_x)."""
    h, fed = h_0, np.zeros(len(W_c))
    attentional, all_weights = [], []
    for y_t in y:
        h = np.tanh(W @ np.concatenate([y_t, fed]) + U @ h)
        scores = states @ h
        exps = np.exp(scores - scores.max())
        weights = exps / exps.sum()
        context = weights @ states
        fed = np.tanh(W_c @ np.concatenate([context, h]))
        attentional.append(fed)
        all_weights.append(weights)
    return np.stack(attentional), np.stack(all_weights)
