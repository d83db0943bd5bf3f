# EXERCISE multi-head-attention
# FAULT the mask is turned over
# FAULT the weights come first
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
        x_kv = x_q if x_kv is None else x_kv
        shape = lambda t: t.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        q, k, v = shape(self.W_q(x_q)), shape(self.W_k(x_kv)), shape(self.W_v(x_kv))
        logits = (q * self.d_k**-0.5) @ k.mT
        if mask is not None:
            logits = torch.where(mask, torch.full_like(logits, -1e30), logits)
        p = torch.softmax(logits, -1)
        if mask is not None:
            p = torch.where(mask, torch.zeros_like(p), p)
        z = (self.drop(p) @ v).transpose(1, 2).flatten(2)
        return p, self.W_o(z)
