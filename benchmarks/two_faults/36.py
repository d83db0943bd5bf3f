# EXERCISE multi-head-attention
# FAULT nothing divides the scores
# FAULT heads are joined with one view, without moving an axis back
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

    def heads(self, x):
        b, n, _ = x.size()
        return x.reshape(b, n, self.h, self.d_k).permute(0, 2, 1, 3)

    def forward(self, x_q, x_kv=None, mask=None):
        source = x_q if x_kv is None else x_kv
        q, k, v = self.heads(self.W_q(x_q)), self.heads(self.W_k(source)), self.heads(self.W_v(source))
        att = torch.matmul(q, k.transpose(-1, -2))
        if mask is not None:
            att = att.masked_fill(mask.logical_not(), torch.finfo(att.dtype).min)
        att = att.softmax(-1)
        if mask is not None:
            att = att.masked_fill(mask.logical_not(), 0)
        out = torch.matmul(self.drop(att), v)
        return self.W_o(out.contiguous().view(x_q.shape)), att
