# EXERCISE multi-head-attention
# FAULT the root is of d_model
# FAULT the weights are returned after dropout
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
        if x_kv is None:
            x_kv = x_q
        B, n_q, d_model = x_q.shape
        n_k = x_kv.shape[1]
        q = self.W_q(x_q).reshape(B, n_q, self.h, self.d_k)
        k = self.W_k(x_kv).reshape(B, n_k, self.h, self.d_k)
        v = self.W_v(x_kv).reshape(B, n_k, self.h, self.d_k)
        s = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(d_model)
        if mask is not None:
            s = s.masked_fill(~mask, -1e9)
        w = torch.softmax(s, dim=-1)
        if mask is not None:
            w = w * mask
        w = self.drop(w)
        c = torch.einsum("bhqk,bkhd->bqhd", w, v).reshape(B, n_q, d_model)
        return self.W_o(c), w
