def repaired_additive(q, k, v, W_q, W_k, w_v, mask):
    """Return contexts (batch, n_q, d_v) and weights (batch, n_q, n_k)."""
    hidden = np.tanh(q @ W_q)[:, :, None] + np.tanh(k @ W_k)[:, None]
    scores = hidden @ w_v
    exps = np.exp(scores - scores.max())
    weights = exps / exps.sum(axis=1, keepdims=True)
    weights = weights * mask[:, None]
    context = weights @ v
    return context / v.shape[1], weights
