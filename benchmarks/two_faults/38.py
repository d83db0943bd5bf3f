# EXERCISE multi-head-attention
# FAULT heads take every n-th number
# FAULT dropout is ignored
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.h = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.drop = nn.Dropout(dropout)

    def cut(self, x):
        # (batch, n, d_model) -> (batch, heads, n, d_k)
        return x.view(x.shape[0], x.shape[1], self.d_k, self.h).permute(0, 3, 1, 2)

    def forward(self, x_q, x_kv=None, mask=None):
        if x_kv is None:
            x_kv = x_q
        q, k, v = self.cut(self.W_q(x_q)), self.cut(self.W_k(x_kv)), self.cut(self.W_v(x_kv))
        scores = q @ k.transpose(2, 3) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(dim=3)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        context = weights @ v
        joined = context.transpose(1, 2).reshape(x_q.shape)
        return self.W_o(joined), weights
