import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Attends with several heads side by side, mixes what they bring."""

    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        batch, n, d_model = x.shape
        d_k = d_model // self.n_heads
        return x.view(batch, n, self.n_heads, d_k).transpose(1, 2)

    def forward(self, x_q, x_kv=None, mask=None):
        """Return output like x_q, weights (batch, heads, n_q, n_k)."""
        x_kv = x_q if x_kv is None else x_kv
        q = self.split(self.W_q(x_q))
        k = self.split(self.W_k(x_kv))
        v = self.split(self.W_v(x_kv))
        scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            least = torch.finfo(scores.dtype).min
            weights = scores.masked_fill(~mask, least).softmax(dim=-1)
            weights = weights.masked_fill(~mask, 0.0)
        context = self.dropout(weights) @ v
        joined = context.transpose(1, 2).flatten(2)
        return self.W_o(joined), weights
