# EXERCISE multi-head-attention
# FAULT the softmax runs over the queries
# FAULT the values come from x_q
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
        mem = x_q if x_kv is None else x_kv
        b = x_q.shape[0]
        Q = self.W_q(x_q).view(b, -1, self.h, self.d_k).transpose(1, 2)
        K = self.W_k(mem).view(b, -1, self.h, self.d_k).transpose(1, 2)
        V = self.W_v(x_q).view(b, -1, self.h, self.d_k).transpose(1, 2)
        S = Q @ K.transpose(-2, -1) / self.d_k**0.5
        if mask is not None:
            S = S.masked_fill(mask == 0, -1e9)
        P = S.softmax(dim=-2)
        if mask is not None:
            P = P.masked_fill(mask == 0, 0)
        O = self.drop(P) @ V
        O = O.transpose(1, 2).contiguous().view(b, -1, self.h * self.d_k)
        return self.W_o(O), P
