"""Multi-head attention as a torch module: all heads at once, keys and values shared or not."""

import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.attention import Attention
from attention_course.layers.scores import upcast_half
from attention_course.reference._check import Call, broadcasts_to, divisor_of, one_of, whole
from attention_course.reference._checked import checked


def _head_width(call: Call) -> None:
    d_model, n_heads = call["d_model"], call["n_heads"]
    if call["d_k"] is None and d_model % n_heads:
        expected = f"a multiple of n_heads = {n_heads} unless d_k is given"
        raise call.fail("d_model", expected, d_model)


class MultiHeadAttention(nn.Module):
    r"""Attend several times side by side, and mix what the heads bring back.

    .. math:: O = [\mathrm{head}_1, \dots, \mathrm{head}_h]\, W_o, \qquad
       \mathrm{head}_i = \mathrm{Attention}(X W_q^i, Y W_k^g, Y W_v^g)

    Args:
        d_model: width of the vectors that enter and leave.
        n_heads: how many heads.
        n_kv_heads: how many of them have keys and values of their own; all unless given.
        d_k: width of a head's queries and keys; ``d_model / n_heads`` unless given.
        d_v: width of a head's values; ``d_k`` unless given.
        bias: whether the four projections have one, as torch's have by default.
        generator: where the initial weights are drawn from; torch's own unless given.

    Raises:
        ValueError: if a size is not a positive whole number, ``n_kv_heads`` does not divide
            ``n_heads``, or ``d_k`` is not given and ``n_heads`` does not divide ``d_model``.

    Source:
        Vaswani et al. (2017), section 3.2.2; Shazeer (2019); Ainslie et al. (2023).

    >>> attention = MultiHeadAttention(d_model=6, n_heads=3)
    >>> output, weights = attention(torch.ones(2, 5, 6))
    >>> output.shape, weights.shape
    (torch.Size([2, 5, 6]), torch.Size([2, 3, 5, 5]))
    """

    W_q: nn.Linear
    W_k: nn.Linear
    W_v: nn.Linear
    W_o: nn.Linear

    @checked(
        _head_width,
        d_model=whole(),
        n_heads=whole(),
        n_kv_heads=(whole(), divisor_of("n_heads")),
        d_k=whole(),
        d_v=whole(),
    )
    def __init__(
        self,
        d_model: int,
        n_heads: int,
        n_kv_heads: int | None = None,
        d_k: int | None = None,
        d_v: int | None = None,
        bias: bool = False,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        d_k = d_model // n_heads if d_k is None else d_k
        d_v = d_k if d_v is None else d_v
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        sizes = {
            "W_q": (d_model, n_heads * d_k),
            "W_k": (d_model, n_kv_heads * d_k),
            "W_v": (d_model, n_kv_heads * d_v),
            "W_o": (n_heads * d_v, d_model),
        }
        for name, (d_in, d_out) in sizes.items():
            # skip_init: nn.Linear would draw from torch's global generator first.
            layer = nn.utils.skip_init(nn.Linear, d_in, d_out, bias=bias)
            nn.init.uniform_(layer.weight, -(d_in**-0.5), d_in**-0.5, generator=generator)
            if bias:
                nn.init.zeros_(layer.bias)
            self.add_module(name, layer)
        self.attention = Attention()

    @checked(
        d_model=lambda self: self.W_q.in_features,
        heads=lambda self: self.n_heads,
        k=lambda x_q, x_kv: (x_q if x_kv is None else x_kv).shape[-2],
        mask=broadcasts_to("*batch heads q k"),
    )
    def forward(
        self,
        x_q: Float[Tensor, "*batch q d_model"],
        x_kv: Float[Tensor, "*batch k d_model"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
        keep: Bool[Tensor, " heads"] | None = None,
        *,
        x_v: Float[Tensor, "*batch k d_model"] | None = None,
    ) -> tuple[
        Float[Tensor, "*batch q d_model"],
        Float[Tensor, "*batch heads q k"],
    ]:
        """Return the output and the weights of every head.

        Args:
            x_q: the vectors that ask.
            x_kv: the vectors that are attended to; ``x_q`` unless given.
            mask: True = may attend; broadcasts to the weights. A mask that differs between
                the sequences of a batch needs an axis of length 1 for the heads.
            keep: False silences a head: its context is zero before ``W_o``.
            x_v: what the values are made of, one for each of ``x_kv``; the same unless given.
        """
        x_kv = x_q if x_kv is None else x_kv
        x_v = x_kv if x_v is None else x_v
        q = self._split(self.W_q(x_q), self.n_heads)
        k = self._share(self._split(self.W_k(x_kv), self.n_kv_heads))
        v = self._share(self._split(self.W_v(x_v), self.n_kv_heads))
        context, weights = self.attention.mix(q, k, v, mask)
        if keep is not None:
            context = context * keep[:, None, None]
        return self.W_o(context.transpose(-2, -3).flatten(-2)), weights

    @classmethod
    def from_torch(cls, theirs: nn.MultiheadAttention) -> "MultiHeadAttention":
        """Return a module of ours with the weights of torch's own.

        Args:
            theirs: with one width for queries, keys and values, and no extra key.

        Raises:
            ValueError: if it has what ours has not.
        """
        whole = theirs.in_proj_weight is not None and theirs.bias_k is None
        if not whole or theirs.add_zero_attn:
            raise ValueError(
                "MultiHeadAttention.from_torch: theirs must have one width and no extra key, "
                f"got {theirs}"
            )
        bias = theirs.in_proj_bias is not None
        ours = cls(theirs.embed_dim, theirs.num_heads, bias=bias).to(theirs.in_proj_weight)
        with torch.no_grad():
            for i, name in enumerate(("W_q", "W_k", "W_v")):
                layer = getattr(ours, name)
                layer.weight.copy_(theirs.in_proj_weight.chunk(3)[i])
                if bias:
                    layer.bias.copy_(theirs.in_proj_bias.chunk(3)[i])
            ours.W_o.load_state_dict(theirs.out_proj.state_dict())
        return ours

    def _split(self, x: Tensor, n_heads: int) -> Tensor:
        return x.unflatten(-1, (n_heads, -1)).transpose(-2, -3)

    def _share(self, x: Tensor) -> Tensor:
        # In float32 first, so that the gradients of heads that share
        # are added up in it.
        sharing = self.n_heads // self.n_kv_heads
        if sharing == 1:
            return x
        return upcast_half(x).repeat_interleave(sharing, dim=-3)


@torch.no_grad()
@checked(
    key_heads=lambda attention: attention.n_kv_heads,
    n_kv_heads=(whole(), divisor_of("key_heads")),
    how=one_of("mean", "first", "random"),
)
def share_keys_values(
    attention: MultiHeadAttention,
    n_kv_heads: int,
    how: str = "mean",
    generator: torch.Generator | None = None,
) -> None:
    r"""Make grouped queries of a trained multi-head attention, in place.

    .. math:: W_k^g = \frac1s \sum_{i = gs}^{gs + s - 1} W_k^i, \qquad
       s = \frac{h}{h_\text{kv}}

    and the same for the values. Queries and :math:`W_o` stay as they are.

    Args:
        attention: is changed; optimisers that know its old weights are of no use any more.
        n_kv_heads: how many heads of keys and values are to be left.
        how: "mean", the mean of a group's heads; "first", its first head; "random", new ones.
        generator: where new weights are drawn from; torch's own unless given.

    Source:
        Ainslie et al. (2023), section 2.1.

    >>> attention = MultiHeadAttention(d_model=6, n_heads=3)
    >>> share_keys_values(attention, 1)
    >>> attention.W_k, attention.n_kv_heads
    (Linear(in_features=6, out_features=2, bias=False), 1)
    """
    before, attention.n_kv_heads = attention.n_kv_heads, n_kv_heads
    for layer in (attention.W_k, attention.W_v):
        for name, x in [*layer.named_parameters()]:
            groups = x.unflatten(0, (n_kv_heads, -1, len(x) // before))
            if how == "mean":
                left = groups.mean(dim=1)
            elif how == "first":
                left = groups[:, 0].clone()
            else:
                left = _like_new(groups[:, 0], name, generator)
            setattr(layer, name, nn.Parameter(left.flatten(0, 1)))
        layer.out_features = len(layer.weight)


def _like_new(x: Tensor, name: str, generator: torch.Generator | None) -> Tensor:
    """Return what a new layer has there: small uniform numbers, and biases of zero."""
    bound = x.shape[-1] ** -0.5 if name == "weight" else 0.0
    new = torch.empty_like(x)
    return nn.init.uniform_(new, -bound, bound, generator=generator)
