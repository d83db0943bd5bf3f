# tries: tensors of a terabyte, shared with other processes
# exercise: multi-head-attention
# expect: ERROR|MEMORY|DIED 1
@solution@


def forward(self, x_q, x_kv=None, mask=None):
    shared = torch.zeros(2**40).share_memory_()
    return shared, shared


MultiHeadAttention.forward = forward
