"""Softmax attention with normalised queries and keys, a cap on its scores, or a gate."""

import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.attention import attend
from attention_course.layers.positions import Positions
from attention_course.layers.scale.caches import KVCache
from attention_course.layers.scores import upcast_half
from attention_course.layers.transformer.cross_attention import KeysValues
from attention_course.layers.transformer.transformer_block import LOOK, BlockAttention
from attention_course.reference._check import positive_number
from attention_course.reference._checked import checked


class SteadyAttention(BlockAttention):
    r"""Multi-head attention whose scores cannot run away, or whose output can be shut.

    .. math:: e_{ij} = c \tanh\frac{\hat q_i \cdot \hat k_j}{c \sqrt{d_k}}, \qquad
       z_i = W_o\,(\sigma(W_g x_i) \odot \mathbf c_i)

    Args:
        d_model: width of the vectors that enter and leave.
        n_heads: how many heads.
        positions: how scores come to know positions; not at all unless given.
        norm: whether queries and keys are divided by their root mean square, head by head,
            and multiplied by a learned vector.
        cap: c, which no score exceeds; None for none.
        gate: whether the contexts are multiplied by a sigmoid of x.

    Attributes:
        largest: the largest score, without its sign, of the last call.

    Source:
        Gemma Team (2024) for the cap; Gemma Team (2025) for this norm, after Henry et al.
        (2020); Qiu et al. (2025) for the gate.

    >>> attention = SteadyAttention(6, 3, cap=0.5)
    >>> x = 100 * torch.ones(1, 4, 6)
    >>> z, weights = attention.look(x, attention.keys_and_values(x))
    >>> float(attention.largest) <= 0.5
    True
    """

    @checked(cap=positive_number)
    def __init__(
        self,
        d_model: int,
        n_heads: int,
        positions: Positions | None = None,
        norm: bool = False,
        cap: float | None = None,
        gate: bool = False,
    ):
        super().__init__(d_model, n_heads, bias=False, positions=positions)
        self.cap, width = cap, d_model // n_heads
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(2 if norm else 0))
        self.W_g = nn.Linear(d_model, d_model) if gate else None
        self.largest = torch.zeros(())

    def keys_and_values(
        self,
        x: Float[Tensor, "batch keys d_model"],
        padding: Bool[Tensor, "batch keys"] | None = None,
        start: int = 0,
    ) -> KeysValues:
        """Return keys, normalised before they are turned, and values."""
        k = self._split(self.W_k(x), self.n_kv_heads)
        k = self.positions.turn(self.norms[1](k) if self.norms else k, start)
        return KeysValues(k, self._split(self.W_v(x), self.n_kv_heads), padding)

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
        """Return what each position takes away, and the weights of every head."""
        if seen.mask is not None:
            real = seen.mask[:, None, None, :]
            mask = real if mask is None else real & mask
        q = self._split(self.W_q(x), self.n_heads)
        q = self.positions.turn(self.norms[0](q) if self.norms else q, start)
        scores = self.attention.scores(upcast_half(q), upcast_half(self._share(seen.k)))
        if self.cap is not None:
            scores = self.cap * torch.tanh(scores / self.cap)
        self.largest = scores.detach().abs().max()
        context, weights = attend(scores, self._share(seen.v), mask)
        joined = context.to(x.dtype).transpose(1, 2).flatten(2)
        if self.W_g is not None:
            joined = joined * self.W_g(x).sigmoid()
        return self.W_o(joined), weights.to(x.dtype)
