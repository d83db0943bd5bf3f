"""The block with nothing but its idea: two parts, each joined to what went around it."""

from collections.abc import Callable

from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.transformer.multi_head import MultiHeadAttention
from attention_course.layers.transformer.transformer_block import FeedForward

Part = Callable[[Tensor], Tensor]


def post_norm(x: Tensor, part: Part, norm: Part) -> Tensor:
    r"""Add what a part has found, then normalise the sum.

    .. math:: x \leftarrow \operatorname{LN}(x + f(x))

    Args:
        x: one vector for each position.
        part: f, attention or the feed-forward part.
        norm: the normalisation.

    Returns:
        As many vectors.

    Source:
        Vaswani et al. (2017), section 3.1.

    >>> import torch
    >>> post_norm(torch.ones(3), lambda x: 2 * x, lambda x: 10 * x).tolist()
    [30.0, 30.0, 30.0]
    """
    return norm(x + part(x))


def pre_norm(x: Tensor, part: Part, norm: Part) -> Tensor:
    r"""Normalise what a part is given, and add what it has found to what came in.

    .. math:: x \leftarrow x + f(\operatorname{LN}(x))

    Args:
        x: one vector for each position.
        part: f, attention or the feed-forward part.
        norm: the normalisation.

    Returns:
        As many vectors.

    Source:
        Xiong et al. (2020), table 1.

    >>> import torch
    >>> pre_norm(torch.ones(3), lambda x: 2 * x, lambda x: 10 * x).tolist()
    [21.0, 21.0, 21.0]
    """
    return x + part(norm(x))


class PlainBlock(nn.Module):
    r"""Self-attention and a feed-forward part, joined in one of two ways.

    :class:`attention_course.layers.transformer.transformer_block.TransformerBlock` computes the
    same; it also knows positions, cross-attention, and how to keep keys and values.

    Args:
        d_model: width of the vectors.
        n_heads: heads of the attention.
        d_ff: width inside the feed-forward part.
        join: :func:`pre_norm`, :func:`post_norm`, or another way to put them together.

    Source:
        Vaswani et al. (2017), section 3.1; Xiong et al. (2020).

    >>> import torch
    >>> PlainBlock(6, 3, 24)(torch.ones(2, 5, 6)).shape
    torch.Size([2, 5, 6])
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_ff: int,
        join: Callable[[Tensor, Part, Part], Tensor] = pre_norm,
    ):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, bias=True)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))
        self.join = join

    def forward(
        self,
        x: Float[Tensor, "*batch n d_model"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "*batch n d_model"]:
        """Return as many vectors; ``mask`` is True where a position may look."""

        def look(z: Tensor) -> Tensor:
            return self.attention(z, mask=mask)[0]

        x = self.join(x, look, self.norms[0])
        return self.join(x, self.feed_forward, self.norms[1])
