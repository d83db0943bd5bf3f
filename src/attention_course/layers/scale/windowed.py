"""A layer with a window, for a stack in which some layers see everything."""

import torch
from torch import Tensor

from attention_course._shapes import Bool, Float
from attention_course.layers.positions import Positions
from attention_course.layers.scale.caches import KVCache
from attention_course.layers.transformer.cross_attention import KeysValues
from attention_course.layers.transformer.transformer_block import BlockAttention
from attention_course.reference._check import whole
from attention_course.reference._checked import checked


class WindowedAttention(BlockAttention):
    r"""Multi-head attention to the last ``width`` positions, the present one among them.

    .. math:: \alpha^h_{ij} > 0 \quad\text{only where}\quad i - w < j \le i

    The mask is what makes it a window; all scores are computed, so it saves nothing here.

    Args:
        d_model: width of the vectors that enter and leave.
        n_heads: how many heads.
        width: w.
        positions: how scores come to know positions; not at all unless given.

    Source:
        Beltagy et al. (2020), section 3.1; in a stack with full layers, Gemma Team (2024).

    >>> attention = WindowedAttention(6, n_heads=3, width=2)
    >>> x = torch.ones(1, 4, 6)
    >>> attention.look(x, attention.keys_and_values(x))[1][0, 0] > 0
    tensor([[ True, False, False, False],
            [ True,  True, False, False],
            [False,  True,  True, False],
            [False, False,  True,  True]])
    """

    @checked(width=whole())
    def __init__(
        self, d_model: int, n_heads: int, width: int, positions: Positions | None = None
    ):
        super().__init__(d_model, n_heads, bias=False, positions=positions)
        self.width = width

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
        i = torch.arange(start, start + x.shape[1], device=x.device)[:, None]
        j = torch.arange(seen.k.shape[-2], device=x.device)
        near = (j <= i) & (j > i - self.width)
        return super().look(x, seen, near if mask is None else near & mask, start)
