"""Right answers to multi-head attention that look unusual."""

from attention_course.exercises.source import Odd

SPLIT = "return x.view(batch, n, self.n_heads, d_model // self.n_heads).transpose(1, 2)"
PRODUCT = "scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5"
CONTEXT = "context = self.dropout(weights) @ v"
JOIN = "joined = context.transpose(1, 2).flatten(2)"
RETURN = "return self.W_o(joined), weights"
LEAST = "least = torch.finfo(scores.dtype).min"

ONE_HEAD_AFTER_THE_OTHER = """\
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        assert d_model % n_heads == 0, "the heads must fit"
        self.h, self.d_k, self.p = n_heads, d_model // n_heads, dropout
        for name in "qkvo":
            self.add_module(f"W_{name}", nn.Linear(d_model, d_model, False))

    def forward(self, x_q, x_kv=None, mask=None):
        if x_kv is None:
            x_kv = x_q
        batch, n_q, n_k = x_q.size(0), x_q.size(1), x_kv.size(1)
        if mask is None:
            mask = torch.ones((), dtype=torch.bool)
        mask = mask.expand(batch, self.h, n_q, n_k)
        output, tables = 0, []
        for i in range(self.h):
            own = slice(i * self.d_k, (i + 1) * self.d_k)
            q, k, v = (
                x @ layer.weight[own].T
                for x, layer in ((x_q, self.W_q), (x_kv, self.W_k), (x_kv, self.W_v))
            )
            e = torch.bmm(q, k.mT) * self.d_k**-0.5
            e = torch.where(mask[:, i], e, -1e30)
            alpha = torch.exp(e - torch.logsumexp(e, -1, True)) * mask[:, i]
            tables.append(alpha)
            head = nn.functional.dropout(alpha, self.p, self.training).bmm(v)
            output = output + head @ self.W_o.weight[:, own].T
        return output, torch.stack(tables, 1)
"""

FOLDED = '''\
import torch
from torch import nn


def fold(x, h):
    """(b, n, h * d) -> (h * b, n, d)"""
    return torch.cat(x.chunk(h, dim=-1), dim=0)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        nn.Module.__init__(self)
        self.h, self.drop = n_heads, nn.Dropout(dropout)
        self.W_q, self.W_k, self.W_v, self.W_o = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        )

    def forward(self, x_q, x_kv=None, mask=None):
        x_kv = x_q if x_kv is None else x_kv
        q, k, v = (fold(x, self.h) for x in (self.W_q(x_q), self.W_k(x_kv), self.W_v(x_kv)))
        e = torch.baddbmm(torch.zeros((), dtype=q.dtype), q, k.mT, alpha=q.size(-1) ** -0.5)
        e = e.unflatten(0, (self.h, -1)).movedim(0, 1)
        if mask is not None:
            seen = mask.broadcast_to(e.shape)
            empty = ~seen.any(-1, keepdim=True)
            e = e.masked_fill(~(seen | empty), float("-inf"))
        alpha = e.softmax(-1)
        if mask is not None:
            alpha = alpha.masked_fill(empty, 0)
        heads = self.drop(alpha) @ v.unflatten(0, (self.h, -1)).movedim(0, 1)
        return self.W_o(torch.cat(heads.unbind(1), -1)), alpha
'''

ODD = (
    Odd(
        "einsum",
        (
            (
                PRODUCT,
                'scores = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5',
            ),
            (CONTEXT, 'context = torch.einsum("bhij,bhjd->bihd", self.dropout(weights), v)'),
            (JOIN, "joined = context.flatten(2)"),
        ),
    ),
    Odd(
        "scores in single precision",
        ((PRODUCT, f"{PRODUCT}\n        scores = scores.float().double()"),),
    ),
    Odd("minus infinity, cleared by the same mask", ((LEAST, "least = -torch.inf"),)),
    Odd("a mask of -1e9 cleared afterwards", ((LEAST, "least = -1e9"),)),
    Odd(
        "unflatten and movedim",
        ((SPLIT, "return x.unflatten(-1, (self.n_heads, -1)).movedim(-2, -3)"),),
    ),
    Odd(
        "reshape and contiguous",
        ((JOIN, "joined = context.permute(0, 2, 1, 3).contiguous().view(x_q.shape)"),),
    ),
    Odd("a list of results", ((RETURN, "return [self.W_o(joined), weights]"),)),
    Odd(
        "the queries are scaled first",
        ((PRODUCT, "scores = (q / q.shape[-1] ** 0.5) @ k.mT"),),
    ),
    Odd("one head after the other, outputs added", source=ONE_HEAD_AFTER_THE_OTHER),
    Odd("heads folded into the batch", source=FOLDED),
)
