"""The Transformer's block: attention and a feed-forward part, each joined by a residual."""

from typing import Any

import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.attention import attend
from attention_course.layers.positions import Positions
from attention_course.layers.scale.caches import KVCache
from attention_course.layers.transformer.cross_attention import KeysValues, extend
from attention_course.layers.transformer.multi_head import MultiHeadAttention
from attention_course.reference._check import broadcasts_to
from attention_course.reference._checked import checked

#: What every layer that looks at keys and values asks of a mask.
LOOK: dict[str, Any] = {
    "heads": lambda self: self.n_heads,
    "keys": lambda seen: seen.k.shape[-2],
    "mask": broadcasts_to("batch heads queries keys"),
}


class BlockAttention(MultiHeadAttention):
    r"""Multi-head attention that knows positions and whose keys and values can be kept.

    .. math:: e^h_{ij} = \frac{\operatorname{turn}_i(q^h_i) \cdot \operatorname{turn}_j(k^h_j)}
       {\sqrt{d_k}} + \operatorname{bias}^h_{ij}

    Args:
        d_model: width of the vectors that enter and leave.
        n_heads: how many heads.
        bias: whether the four projections have one.
        positions: how scores come to know positions; not at all unless given.

    Source:
        Vaswani et al. (2017), section 3.2.2; positions: Su et al. (2021), Press et al. (2022).

    >>> attention = BlockAttention(6, n_heads=3)
    >>> x = torch.ones(2, 5, 6)
    >>> z, weights = attention.look(x, attention.keys_and_values(x))
    >>> z.shape, weights.shape
    (torch.Size([2, 5, 6]), torch.Size([2, 3, 5, 5]))
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        bias: bool = True,
        positions: Positions | None = None,
    ):
        super().__init__(d_model, n_heads, bias=bias)
        self.positions = Positions() if positions is None else positions

    @checked()
    def keys_and_values(
        self,
        x: Float[Tensor, "batch keys d_model"],
        padding: Bool[Tensor, "batch keys"] | None = None,
        start: int = 0,
    ) -> KeysValues:
        """Return keys and values; ``start`` is the position of the first."""
        k = self.positions.turn(self._split(self.W_k(x), self.n_kv_heads), start)
        return KeysValues(k, self._split(self.W_v(x), self.n_kv_heads), padding)

    def new_cache(self, batch: int, longest: int) -> KVCache:
        """Return an empty cache with room for so many positions."""
        weight, heads = self.W_k.weight, self.n_kv_heads
        widths = self.W_k.out_features // heads, self.W_v.out_features // heads
        return KVCache(batch, heads, longest, *widths, dtype=weight.dtype, device=weight.device)

    @checked(**LOOK)
    def look(
        self,
        x: Float[Tensor, "batch queries d_model"],
        seen: KeysValues | KVCache,
        mask: Bool[Tensor, "..."] | None = None,
        start: int = 0,
    ) -> tuple[
        Float[Tensor, "batch queries d_model"], Float[Tensor, "batch heads queries keys"]
    ]:
        """Return what each position takes away, and the weights of every head.

        Args:
            x: the vectors that ask.
            seen: what :meth:`keys_and_values` returned.
            mask: True = may attend; on top of the padding in ``seen``.
            start: position of the first query.
        """
        if seen.mask is not None:
            real = seen.mask[:, None, None, :]
            mask = real if mask is None else real & mask
        q = self.positions.turn(self._split(self.W_q(x), self.n_heads), start)
        scores = self.attention.scores(q, self._share(seen.k))
        bias = self.positions.bias(q.shape[-2], seen.k.shape[-2], start)
        scores = scores if bias is None else scores + bias.to(scores.dtype)
        context, weights = attend(scores, self._share(seen.v), mask)
        joined = context.to(x.dtype).transpose(1, 2).flatten(2)
        return self.W_o(joined), weights.to(x.dtype)


class FeedForward(nn.Module):
    r"""Two layers that every position passes through on its own.

    .. math:: \operatorname{FFN}(x) = \max(0,\, x W_1 + b_1)\, W_2 + b_2

    Args:
        d_model: width of the vectors that enter and leave.
        d_ff: width in between; four times as much in the paper.
        bias: whether there are b_1 and b_2.

    Source:
        Vaswani et al. (2017), equation 2.

    >>> FeedForward(6, 24)(torch.ones(2, 5, 6)).shape
    torch.Size([2, 5, 6])
    """

    def __init__(self, d_model: int, d_ff: int, bias: bool = True):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff, bias=bias)
        self.W_2 = nn.Linear(d_ff, d_model, bias=bias)

    def forward(
        self,
        x: Float[Tensor, "*batch d_model"],
    ) -> Float[Tensor, "*batch d_model"]:
        """Return as many vectors, none of which has seen another."""
        return self.W_2(torch.relu(self.W_1(x)))


class TransformerBlock(nn.Module):
    r"""Self-attention, cross-attention if wanted, and a feed-forward part.

    .. math:: \text{after:}\quad x \leftarrow \operatorname{LN}(x + f(x)) \qquad\qquad
       \text{before:}\quad x \leftarrow x + f(\operatorname{LN}(x))

    for each of the two or three parts f in turn.

    Args:
        d_model: width of the vectors.
        n_heads: heads of each attention.
        d_ff: width inside the feed-forward part.
        cross: whether there is cross-attention to another sequence.
        norm_first: whether the normalisation is before each part, not after the sum.
        positions: how self-attention's scores come to know positions.
        bias: whether projections and feed-forward part have biases.

    Source:
        Vaswani et al. (2017), section 3.1, for "after"; Xiong et al. (2020) for "before".

    >>> block = TransformerBlock(6, 3, 24)
    >>> x, kept, weights = block(torch.ones(2, 5, 6))
    >>> x.shape, kept.k.shape
    (torch.Size([2, 5, 6]), torch.Size([2, 3, 5, 2]))
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_ff: int,
        cross: bool = False,
        norm_first: bool = False,
        positions: Positions | None = None,
        bias: bool = True,
    ):
        super().__init__()
        self.norm_first = norm_first
        self.attention = BlockAttention(d_model, n_heads, bias, positions)
        self.cross = BlockAttention(d_model, n_heads, bias) if cross else None
        self.feed_forward = FeedForward(d_model, d_ff, bias)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3 if cross else 2))

    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        padding: Bool[Tensor, "batch n"] | None = None,
        kept: KeysValues | KVCache | None = None,
        memory: KeysValues | None = None,
    ) -> tuple[Float[Tensor, "batch n d_model"], KeysValues | KVCache, Tensor]:
        """Return new vectors, all keys and values so far, and weights.

        Args:
            x: one vector for each position, or for each new position.
            mask: True = may attend.
            padding: True where there is a symbol.
            kept: keys and values of earlier positions, if x starts behind them. A
                :class:`KVCache` is written into; others are joined into new memory.
            memory: the other sequence's keys and values, from ``cross.keys_and_values``.

        Returns:
            The weights are those of cross-attention, if there is one.

        Raises:
            ValueError: if the block has cross-attention and gets no memory, or a KVCache is
                to hold padding.
        """
        if self.cross is not None and memory is None:
            raise ValueError(
                "TransformerBlock: memory must be the keys and values of the other sequence, "
                "from cross.keys_and_values, because the block has cross-attention; got None"
            )
        start = 0 if kept is None else kept.k.shape[-2]
        z = self._enter(0, x)
        kept = _keep(kept, self.attention.keys_and_values(z, padding, start))
        found, weights = self.attention.look(z, kept, mask, start)
        x = self._join(0, x, found)
        if self.cross is not None and memory is not None:
            found, weights = self.cross.look(self._enter(1, x), memory)
            x = self._join(1, x, found)
        return self._join(-1, x, self.feed_forward(self._enter(-1, x))), kept, weights

    def _enter(self, i: int, x: Tensor) -> Tensor:
        return self.norms[i](x) if self.norm_first else x

    def _join(self, i: int, x: Tensor, found: Tensor) -> Tensor:
        return x + found if self.norm_first else self.norms[i](x + found)


def _keep(kept: KeysValues | KVCache | None, new: KeysValues) -> KeysValues | KVCache:
    if not isinstance(kept, KVCache):
        return extend(kept, new)
    if new.mask is not None:
        raise ValueError("TransformerBlock: padding must be None with a KVCache, got a mask")
    kept.append(new.k, new.v)
    return kept
