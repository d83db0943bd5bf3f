# tries: a gradient that never comes back, behind a right answer
# exercise: multi-head-attention
# expect: TIMEOUT 6|1
@solution@


class Trap(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        while True:
            pass


plain = MultiHeadAttention.forward


def forward(self, *args, **kwargs):
    output, weights = plain(self, *args, **kwargs)
    return Trap.apply(output), weights


MultiHeadAttention.forward = forward
