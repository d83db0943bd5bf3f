# tries: a module without parameters that names some and swallows what it is given
# exercise: multi-head-attention
# expect: WRONG|ERROR 0|1
import torch
from torch import nn

NAMES = ("W_k.weight", "W_o.weight", "W_q.weight", "W_v.weight")


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.n_heads = n_heads

    def named_parameters(self, *args, **kwargs):
        return iter([(name, torch.zeros(6, 6, requires_grad=True)) for name in NAMES])

    def load_state_dict(self, *args, **kwargs):
        return None

    def forward(self, x_q, x_kv=None, mask=None):
        x_kv = x_q if x_kv is None else x_kv
        shape = (len(x_q), self.n_heads, x_q.shape[1], x_kv.shape[1])
        return torch.zeros_like(x_q), torch.full(shape, 1 / x_kv.shape[1]).to(x_q)
