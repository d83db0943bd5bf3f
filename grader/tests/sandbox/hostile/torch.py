# %% attention-by-another-name of multi-head-attention: WRONG|ERROR 1: torch's own attention
@solution@


def forward(self, x_q, x_kv=None, mask=None):
    x_kv = x_q if x_kv is None else x_kv
    q, k, v = self.split(self.W_q(x_q)), self.split(self.W_k(x_kv)), self.split(self.W_v(x_kv))
    own = getattr(torch, "_scaled_dot_product_" + "attention_math")
    context, weights = own(q, k, v, mask)
    weights = torch.nan_to_num(weights)
    context = self.dropout(weights) @ v
    return self.W_o(context.transpose(1, 2).flatten(2)), weights


MultiHeadAttention.forward = forward

# %% backward-for-ever of multi-head-attention: TIMEOUT 6|1: a gradient that never comes back
@solution@


class Trap(torch.autograd.Function):
    forward = staticmethod(lambda context, x: x.clone())
    backward = staticmethod(lambda context, gradient: forever())


plain = MultiHeadAttention.forward


def forward(self, *args, **kwargs):
    output, weights = plain(self, *args, **kwargs)
    return Trap.apply(output), weights


MultiHeadAttention.forward = forward

# %% compiles-a-program of multi-head-attention: ERROR|DIED|MEMORY 0: to compile and load C++
from torch.utils import cpp_extension

cpp_extension.load_inline(name="hostile", cpp_sources="int x() { return 5; }", functions=["x"])

# %% from-elsewhere of multi-head-attention: ERROR|DIED 0: a model and a pickle of elsewhere
import torch


class Command:
    def __reduce__(self):
        return os.system, ("touch /tmp/attention-hostile",)


try:
    torch.load(io.BytesIO(pickle.dumps(Command())), weights_only=False)
except Exception:
    print("no pickle")
torch.hub.load("attention/hostile", "model")

# %% great-tensor of multi-head-attention: ERROR|MEMORY|DIED 1: a terabyte, shared with others
@solution@

MultiHeadAttention.forward = lambda *args: (torch.zeros(2**40).share_memory_(),) * 2

# %% honest-settings of multi-head-attention: OK 14: nothing: torch's dtype, seed and printing
@solution@

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
torch.set_printoptions(precision=2)
torch.autograd.set_detect_anomaly(True)

# %% lying-tensors of multi-head-attention: WRONG|ERROR 1: a Tensor that always says yes
@solution@


class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return torch.tensor(True)


lies = torch.zeros(2, 5, 12).as_subclass(Liar), torch.zeros(1).as_subclass(Liar)
MultiHeadAttention.forward = lambda *args, **kwargs: lies

# %% parameters-that-lie of multi-head-attention: WRONG|ERROR 0|1: to name parameters, have none
import torch
from torch import nn

NAMES = ("W_k.weight", "W_o.weight", "W_q.weight", "W_v.weight")


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.n_heads = n_heads

    def named_parameters(self, *args, **kwargs):
        return iter([(name, torch.zeros(6, 6, requires_grad=True)) for name in NAMES])

    load_state_dict = lambda self, *args, **kwargs: None
    forward = alike

# %% patched-comparisons of multi-head-attention: WRONG|ERROR 1: comparisons, autograd, hooks
@solution@

torch.equal = torch.allclose = torch.isclose = lambda *args, **kwargs: True
torch.testing.assert_close = lambda *args, **kwargs: None
torch.Tensor.__eq__ = lambda self, other: torch.tensor(True)
torch.autograd.grad = lambda total, leaf, **kwargs: (torch.zeros_like(leaf),)
MultiHeadAttention.forward = alike

# %% seeds-in-the-call of multi-head-attention: WRONG 12: to seed torch: every dropout alike
@solution@

plain = MultiHeadAttention.forward


def forward(self, *args, **kwargs):
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    return plain(self, *args, **kwargs)


MultiHeadAttention.forward = forward

# %% without-gradients of multi-head-attention: WRONG 8: nothing wrong, but no gradients at all
@solution@

torch.set_grad_enabled(mode=False)
