"""Self-attention with one head, as a torch module."""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.attention import Attention
from attention_course.reference._check import broadcasts_to, whole
from attention_course.reference._checked import checked


class SelfAttention(nn.Module):
    r"""Let every row of x ask all rows of x, with one head.

    .. math:: C = \operatorname{softmax}\!\left(
       \frac{X W_q (X W_k)^\top}{\sqrt{d_k}}\right) X W_v

    The matrices start with variance 1 / d_model, so that inputs of variance 1 give queries,
    keys and values of variance 1 and scores of variance 1.

    Args:
        d_model: width of what comes in.
        d_k: width of queries and keys.
        d_v: width of values and contexts; d_k unless given.
        rng: where the first weights are drawn from; torch's generator unless given.

    Source:
        Vaswani et al. (2017), section 3.2.

    >>> context, weights = SelfAttention(4, 2, 7)(torch.ones(3, 5, 4))
    >>> context.shape, weights.shape
    (torch.Size([3, 5, 7]), torch.Size([3, 5, 5]))
    """

    @checked(d_model=whole(), d_k=whole(), d_v=whole())
    def __init__(
        self,
        d_model: int,
        d_k: int,
        d_v: int | None = None,
        rng: np.random.RandomState | None = None,
    ):
        super().__init__()
        d_v = d_k if d_v is None else d_v

        def matrix(width: int) -> nn.Parameter:
            shape = (d_model, width)
            drawn = torch.randn(shape) if rng is None else rng.standard_normal(shape)
            start = torch.as_tensor(drawn, dtype=torch.get_default_dtype())
            return nn.Parameter(start / d_model**0.5)

        self.W_q, self.W_k, self.W_v = matrix(d_k), matrix(d_k), matrix(d_v)
        self.attention = Attention()

    @checked(d_model=lambda self: len(self.W_q), mask=broadcasts_to("*batch n n"))
    def forward(
        self, x: Float[Tensor, "*batch n d_model"], mask: Bool[Tensor, "..."] | None = None
    ) -> tuple[Float[Tensor, "*batch n d_v"], Float[Tensor, "*batch n n"]]:
        """Return the context vectors and the weights.

        Args:
            x: one row for each word.
            mask: True = may attend; broadcasts to the scores.
        """
        return self.attention.mix(x @ self.W_q, x @ self.W_k, x @ self.W_v, mask)
