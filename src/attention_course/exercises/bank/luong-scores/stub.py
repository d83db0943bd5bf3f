def luong_scores(h_t, states, score, W_a=None, v_a=None):
    """Scores (batch, n_x) of h_t (batch, d_t), states (batch, n_x, d_s)."""
    raise NotImplementedError
