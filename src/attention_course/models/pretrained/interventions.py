"""What a picture of weights does not show: silence a head, even it out, weigh its values."""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from attention_course._shapes import Float
from attention_course.layers.transformer.multi_head import MultiHeadAttention


@contextlib.contextmanager
def silenced(attention: MultiHeadAttention, *heads: int) -> Iterator[None]:
    r"""Take what some heads bring back away, as long as the block lasts.

    .. math:: \mathrm{head}_h \to 0

    Args:
        attention: of one layer.
        *heads: counted from 0.

    Source:
        Michel et al. (2019), section 2.3.

    >>> import torch
    >>> from attention_course.layers import MultiHeadAttention
    >>> attention = MultiHeadAttention(d_model=6, n_heads=3)
    >>> with silenced(attention, 0, 1, 2):
    ...     float(attention(torch.ones(5, 6))[0].detach().abs().sum())
    0.0
    """
    check_heads(attention, heads)

    def cut(module: Any, inputs: tuple[Tensor]) -> Tensor:
        contexts = inputs[0].unflatten(-1, (attention.n_heads, -1)).clone()
        contexts[..., list(heads), :] = 0
        return contexts.flatten(-2)

    hook = attention.W_o.register_forward_pre_hook(cut)
    try:
        yield
    finally:
        hook.remove()


@contextlib.contextmanager
def evened(attention: MultiHeadAttention, *heads: int, causal: bool = False) -> Iterator[None]:
    r"""Let some heads look everywhere alike, as long as the block lasts.

    .. math:: \alpha^h_{ij} \to 1/n \qquad (\text{causal: } 1/i \text{ for } j \le i)

    Args:
        attention: of one layer.
        *heads: counted from 0.
        causal: whether a position sees none behind it.

    Source:
        Jain and Wallace (2019), section 4.2.1, replace weights; even ones are ours.

    >>> import torch
    >>> from attention_course.layers import MultiHeadAttention
    >>> attention = MultiHeadAttention(d_model=6, n_heads=3)
    >>> x = torch.ones(5, 6)  # all values are the same: where it looks does not matter
    >>> with evened(attention, 1):
    ...     bool(torch.allclose(attention(x)[0], attention(x[:1].repeat(5, 1))[0]))
    True
    """
    check_heads(attention, heads)
    kept: dict[str, Tensor] = {}

    def keep(module: Any, inputs: Any, values: Tensor) -> None:
        kept["v"] = values.unflatten(-1, (attention.n_kv_heads, -1))

    def replace(module: Any, inputs: tuple[Tensor]) -> Tensor:
        contexts = inputs[0].unflatten(-1, (attention.n_heads, -1)).clone()
        mean = running_mean(kept["v"]) if causal else kept["v"].mean(-3, keepdim=True)
        for head in heads:
            group = head // (attention.n_heads // attention.n_kv_heads)
            contexts[..., head, :] = mean[..., group, :]
        return contexts.flatten(-2)

    hooks = [
        attention.W_v.register_forward_hook(keep),
        attention.W_o.register_forward_pre_hook(replace),
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def running_mean(v: Float[Tensor, "*batch n heads d_v"]) -> Float[Tensor, "*batch n heads d_v"]:
    r"""Return the mean of all values up to each position.

    .. math:: \bar v_i = \frac1i \sum_{j \le i} v_j

    Args:
        v: values, the positions on the third axis from the end.

    >>> running_mean(torch.tensor([[[2.0]], [[4.0]]])).flatten().tolist()
    [2.0, 3.0]
    """
    n = v.shape[-3]
    counts = torch.arange(1, n + 1, dtype=v.dtype, device=v.device)[:, None, None]
    return v.cumsum(-3) / counts


def norm_weighted(
    attention: MultiHeadAttention,
    x: Float[Tensor, "n d_model"],
    weights: Float[Tensor, "heads n n"],
) -> Float[Tensor, "heads n n"]:
    r"""Return how much each position brings to each: the weight times the vector's length.

    .. math:: \lVert \alpha_{ij}\, (x_j W_v^h + b_v^h)\, W_o^h \rVert

    Args:
        attention: of one layer.
        x: what enters it.
        weights: of its heads there.

    Source:
        Kobayashi et al. (2020), section 3.

    >>> from attention_course.layers import MultiHeadAttention
    >>> attention = MultiHeadAttention(d_model=6, n_heads=3)
    >>> x = torch.ones(5, 6)
    >>> norm_weighted(attention, x, attention(x)[1]).shape
    torch.Size([3, 5, 5])
    """
    values = attention.W_v(x).unflatten(-1, (attention.n_kv_heads, -1))
    sharing = attention.n_heads // attention.n_kv_heads
    values = values.transpose(0, 1).repeat_interleave(sharing, dim=0)
    out = attention.W_o.weight.unflatten(1, (attention.n_heads, -1))
    lengths = (values @ out.permute(1, 2, 0)).norm(dim=-1)
    return weights * lengths[:, None, :]


def check_heads(attention: MultiHeadAttention, heads: tuple[int, ...]) -> None:
    """Raise unless the attention has all these heads."""
    last = attention.n_heads - 1
    if any(not 0 <= head <= last for head in heads):
        expected = f"heads must be from 0 to {last}"
        raise ValueError(f"check_heads: {expected}, got {heads}")
