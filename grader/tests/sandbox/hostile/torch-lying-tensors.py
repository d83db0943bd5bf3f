# tries: a subclass of Tensor that answers every question of torch with yes
# exercise: multi-head-attention
# expect: WRONG|ERROR 1
@solution@


class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return torch.tensor(True)


def forward(self, x_q, x_kv=None, mask=None):
    return torch.zeros(2, 5, 12).as_subclass(Liar), torch.zeros(1).as_subclass(Liar)


MultiHeadAttention.forward = forward
