# EXERCISE multi-head-attention
# FAULT W_k and W_v change places
# FAULT queries that see nothing look everywhere alike
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

    def forward(self, x_q, x_kv=None, mask=None):
        x = x_q if x_kv is None else x_kv
        b, n, D = x_q.shape
        m = x.shape[1]
        q = self.W_q(x_q).reshape(b, n, self.h, -1).swapaxes(1, 2)
        k = self.W_v(x).reshape(b, m, self.h, -1).swapaxes(1, 2)
        v = self.W_k(x).reshape(b, m, self.h, -1).swapaxes(1, 2)
        outs, ws = [], []
        for i in range(self.h):
            s = q[:, i] @ k[:, i].swapaxes(1, 2) / math.sqrt(self.d_k)
            if mask is not None:
                allowed = mask.expand(b, self.h, n, m)[:, i]
                s = s.masked_fill(~allowed, -1e9)
            w = s.softmax(-1)
            ws.append(w)
            outs.append(self.drop(w) @ v[:, i])
        return self.W_o(torch.cat(outs, -1)), torch.stack(ws, 1)
