# tries: to set the seed and the default dtype in each call, which the exercises do not allow
# exercise: multi-head-attention
# expect: WRONG 9
@solution@

plain = MultiHeadAttention.forward


def forward(self, *args, **kwargs):
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    return plain(self, *args, **kwargs)


MultiHeadAttention.forward = forward
