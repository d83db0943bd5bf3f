"""Attention from one sequence to another, whose keys and values can be kept.

One module serves three uses: give it the same sequence twice and it is self-attention, with a
causal mask it is that of a decoder, with another sequence it is cross-attention.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.attention import Attention
from attention_course.reference._check import Call, broadcasts_to, whole
from attention_course.reference._checked import checked


class KeysValues(NamedTuple):
    """Keys and values of a sequence, kept so that later queries can look at it.

    Attributes:
        k: the keys of every head.
        v: the values of every head.
        mask: True where there is a symbol and not padding; None if all are real.
    """

    k: Float[Tensor, "batch heads keys d_k"]
    v: Float[Tensor, "batch heads keys d_v"]
    mask: Bool[Tensor, "batch keys"] | None = None


def _own_values(call: Call) -> None:
    width = call["self"].W_v.in_features
    if call["values"] is None and call["d_memory"] != width:
        raise call.fail("values", f"given, with d_values = {width}", "None")


class CrossAttention(nn.Module):
    r"""Queries from one sequence, keys and values from another.

    .. math:: z_i = \sum_h \Bigl(\sum_j \alpha^h_{ij}\, y_j W_v^h\Bigr) W_o^h, \qquad
       \alpha^h_{ij} = \operatorname{softmax}_j
       \frac{(x_i W_q^h) \cdot (y_j W_k^h)}{\sqrt{d_k}}

    Args:
        d_model: width of what asks, x, and of what comes out.
        d_memory: width of what is asked, y; ``d_model`` unless given.
        n_heads: number of heads.
        d_k: width of a head's queries and keys; ``d_model // n_heads`` unless given.
        d_v: width of a head's values; ``d_k`` unless given.
        d_values: width of what the values are made of; ``d_memory`` unless given.
        generator: where the initial weights are drawn from; torch's own unless given.

    Source:
        Vaswani et al. (2017), sections 3.2.2 and 3.2.3, without biases.

    >>> attention = CrossAttention(6, d_memory=4, n_heads=2)
    >>> z, weights = attention(torch.ones(1, 3, 6), torch.ones(1, 5, 4))
    >>> z.shape, weights.shape
    (torch.Size([1, 3, 6]), torch.Size([1, 2, 3, 5]))
    """

    @checked(
        d_model=whole(),
        d_memory=whole(),
        n_heads=whole(),
        d_k=whole(),
        d_v=whole(),
        d_values=whole(),
    )
    def __init__(
        self,
        d_model: int,
        d_memory: int | None = None,
        n_heads: int = 1,
        d_k: int | None = None,
        d_v: int | None = None,
        generator: torch.Generator | None = None,
        d_values: int | None = None,
    ):
        super().__init__()
        d_memory = d_model if d_memory is None else d_memory
        d_k = max(1, d_model // n_heads) if d_k is None else d_k
        d_v = d_k if d_v is None else d_v
        d_values = d_memory if d_values is None else d_values
        self.n_heads = n_heads
        # skip_init: nn.Linear would draw from torch's global generator first.
        self.W_q = nn.utils.skip_init(nn.Linear, d_model, n_heads * d_k, bias=False)
        self.W_k = nn.utils.skip_init(nn.Linear, d_memory, n_heads * d_k, bias=False)
        self.W_v = nn.utils.skip_init(nn.Linear, d_values, n_heads * d_v, bias=False)
        self.W_o = nn.utils.skip_init(nn.Linear, n_heads * d_v, d_model, bias=False)
        for layer in (self.W_q, self.W_k, self.W_v, self.W_o):
            bound = (6 / (layer.in_features + layer.out_features)) ** 0.5
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
        self.attention = Attention()

    @checked(
        _own_values,
        d_memory=lambda self: self.W_k.in_features,
        d_values=lambda self: self.W_v.in_features,
    )
    def keys_and_values(
        self,
        memory: Float[Tensor, "batch keys d_memory"],
        mask: Bool[Tensor, "batch keys"] | None = None,
        values: Float[Tensor, "batch keys d_values"] | None = None,
    ) -> KeysValues:
        """Return keys and values: they depend on no query, so once is enough.

        Args:
            memory: the sequence that is asked.
            mask: True where it holds a symbol and not padding.
            values: what the values are made of, one for each of ``memory``; the same unless
                given.
        """
        values = memory if values is None else values
        k, v = self._split(self.W_k(memory)), self._split(self.W_v(values))
        return KeysValues(k, v, mask)

    @checked(
        d_model=lambda self: self.W_q.in_features,
        heads=lambda self: self.n_heads,
        keys=lambda seen: seen.k.shape[-2],
        mask=broadcasts_to("batch heads queries keys"),
    )
    def look(
        self,
        x: Float[Tensor, "batch queries d_model"],
        seen: KeysValues,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[
        Float[Tensor, "batch queries d_model"],
        Float[Tensor, "batch heads queries keys"],
    ]:
        """Return what each position takes away, and the weights of every head.

        Args:
            x: the sequence that asks.
            seen: what :meth:`keys_and_values` returned.
            mask: True = may attend; broadcasts to the scores (batch, heads, queries, keys),
                and comes on top of the padding in ``seen``.
        """
        if seen.mask is not None:
            padding = seen.mask[:, None, None, :]
            mask = padding if mask is None else padding & mask
        q = self._split(self.W_q(x))
        context, weights = self.attention.mix(q, seen.k, seen.v, mask)
        return self.W_o(context.transpose(1, 2).flatten(2)), weights

    def forward(
        self,
        x: Float[Tensor, "batch queries d_model"],
        memory: Float[Tensor, "batch keys d_memory"],
        mask: Bool[Tensor, "..."] | None = None,
        padding: Bool[Tensor, "batch keys"] | None = None,
        *,
        values: Float[Tensor, "batch keys d_values"] | None = None,
    ) -> tuple[
        Float[Tensor, "batch queries d_model"], Float[Tensor, "batch heads queries keys"]
    ]:
        """Remember, then look.

        Args:
            x: the sequence that asks.
            memory: the sequence that is asked; the same one for self-attention.
            mask: True = query i may attend to key j.
            padding: True where ``memory`` holds a symbol.
            values: what the values are made of, as :meth:`keys_and_values` takes it.
        """
        return self.look(x, self.keys_and_values(memory, padding, values), mask)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)


def extend(seen: KeysValues | None, new: KeysValues) -> KeysValues:
    r"""Put the keys and values of further positions behind those that are kept.

    .. math:: K_{\le t} = [K_{<t}; k_t], \qquad V_{\le t} = [V_{<t}; v_t]

    Args:
        seen: what is kept, or None at the start.
        new: of the next positions.

    Returns:
        All of them.

    Raises:
        ValueError: if one of the two has a padding mask and the other has not.

    Source:
        Follows from the causal mask of Vaswani et al. (2017), section 3.2.3: what lies behind
        a position never changes.

    >>> attention = CrossAttention(4)
    >>> one = attention.keys_and_values(torch.ones(1, 1, 4))
    >>> extend(extend(None, one), one).k.shape
    torch.Size([1, 1, 2, 4])
    """
    if seen is None:
        return new
    if (seen.mask is None) != (new.mask is None):
        wanted = "have a padding mask if seen has one"
        raise ValueError(f"extend: new must {wanted}, got only one")
    mask = None
    if seen.mask is not None and new.mask is not None:
        mask = torch.cat([seen.mask, new.mask], 1)
    k, v = torch.cat([seen.k, new.k], 2), torch.cat([seen.v, new.v], 2)
    return KeysValues(k, v, mask)
