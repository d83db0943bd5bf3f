import numpy as np


def luong_scores(h_t, states, score, W_a=None, v_a=None):
    """Scores (batch, n_x) of h_t (batch, d_t), states (batch, n_x, d_s)."""
    batch, n_x, _ = states.shape
    if score == "dot":
        return np.einsum("bd,bsd->bs", h_t, states)
    if score == "general":
        return np.einsum("bi,ij,bsj->bs", h_t, W_a, states)
    if score == "concat":
        asked = np.broadcast_to(h_t[:, None], (batch, n_x, h_t.shape[1]))
        joined = np.concatenate([asked, states], axis=-1)
        return np.tanh(joined @ W_a.T) @ v_a
    scores = np.full((batch, n_x), -np.inf)
    scores[:, : len(W_a)] = (h_t @ W_a.T)[:, :n_x]
    return scores
