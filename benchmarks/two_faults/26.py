# EXERCISE input-feeding
# FAULT the vector is fed in before the word
# FAULT scores are returned in the place of weights
import numpy as np


def feed_inputs(y, states, h_0, W, U, W_c):
    state = np.array(h_0)
    att = np.zeros(W_c.shape[0])
    outs = np.zeros((len(y), W_c.shape[0]))
    table = np.zeros((len(y), len(states)))
    for t in range(len(y)):
        state = np.tanh(W @ np.r_[att, y[t]] + U @ state)
        s = states @ state
        e = np.exp(s - s.max())
        c = (e / e.sum()) @ states
        att = np.tanh(W_c @ np.r_[c, state])
        outs[t], table[t] = att, s
    return outs, table
