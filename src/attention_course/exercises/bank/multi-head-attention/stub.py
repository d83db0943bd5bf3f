class MultiHeadAttention(nn.Module):
    """Attends with several heads side by side, mixes what they bring."""

    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        raise NotImplementedError

    def forward(self, x_q, x_kv=None, mask=None):
        """Return output like x_q, weights (batch, heads, n_q, n_k)."""
        raise NotImplementedError
