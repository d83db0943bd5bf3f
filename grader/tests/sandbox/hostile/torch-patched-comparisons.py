# tries: to patch torch's comparisons, autograd and hooks in its own process
# exercise: multi-head-attention
# expect: WRONG|ERROR 1
@solution@

torch.equal = torch.allclose = torch.isclose = lambda *args, **kwargs: True
torch.testing.assert_close = lambda *args, **kwargs: None
torch.Tensor.__eq__ = lambda self, other: torch.tensor(True)
torch.autograd.grad = lambda total, leaf, **kwargs: (torch.zeros_like(leaf),)


def forward(self, x_q, x_kv=None, mask=None):
    x_kv = x_q if x_kv is None else x_kv
    shape = (len(x_q), self.n_heads, x_q.shape[1], x_kv.shape[1])
    return torch.zeros_like(x_q), torch.full(shape, 1 / x_kv.shape[1]).to(x_q)


MultiHeadAttention.forward = forward
