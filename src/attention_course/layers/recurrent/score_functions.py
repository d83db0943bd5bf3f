"""Two scores that measure likeness, as torch modules: cosine with a strength, and a kernel."""

import math

import torch
from torch import Tensor, nn

from attention_course._shapes import Float
from attention_course.layers.scores import Score, upcast_half
from attention_course.reference._check import positive_number, whole
from attention_course.reference._checked import checked


class CosineScore(Score):
    r"""Cosine of the angle between query and key, times a strength.

    .. math:: e_{ij} = \beta_i \,
       \frac{\mathbf q_i \cdot \mathbf k_j}{\lVert\mathbf q_i\rVert\,\lVert\mathbf k_j\rVert}

    Without ``d_q`` the strength is fixed. With it, each query sets its own,
    :math:`\beta_i = \operatorname{softplus}(\mathbf w \cdot \mathbf q_i + b)`, which starts
    at ``beta``.

    Args:
        beta: the strength, or what it starts at; above 0.
        d_q: width of a query, if the strength is to be learned.

    Raises:
        ValueError: if ``beta`` is not a positive finite number, or ``d_q`` not a positive
            whole number.

    Source:
        Graves et al. (2014), equations 5 and 6. The paper asks for a positive beta and leaves
        the function that makes it so open; softplus is our choice.

    >>> CosineScore(2.0)(torch.tensor([[3.0, 0.0]]), torch.tensor([[9.0, 0.0]])).item()
    2.0
    """

    @checked(beta=positive_number, d_q=whole())
    def __init__(self, beta: float = 1.0, d_q: int | None = None):
        super().__init__()
        self.beta, self.w, self.b = float(beta), None, None
        if d_q is not None:
            self.w = nn.Parameter(torch.zeros(d_q))
            # The inverse of softplus, ln(exp(beta) - 1), written so that it cannot overflow.
            self.b = nn.Parameter(torch.tensor(beta + math.log(-math.expm1(-beta))))

    @checked(d_k=lambda self, d_k: d_k if self.w is None else len(self.w))
    def compute(
        self, q: Float[Tensor, "*batch q d_k"], k: Float[Tensor, "*batch k d_k"]
    ) -> Float[Tensor, "*batch q k"]:
        """Return the scores, in float32 for half precision."""
        q, k = upcast_half(q), upcast_half(k)
        cosine = unit(q) @ unit(k).transpose(-1, -2)
        if self.w is None or self.b is None:
            return self.beta * cosine
        beta = nn.functional.softplus(q @ upcast_half(self.w) + upcast_half(self.b))
        return beta.unsqueeze(-1) * cosine


class KernelScore(Score):
    r"""Logarithm of a product of positive features; no parameters.

    .. math:: e_{ij} = \ln\bigl(\varphi(\mathbf q_i) \cdot \varphi(\mathbf k_j)\bigr), \qquad
       \varphi(x) = \operatorname{elu}(x) + 1

    The softmax undoes the logarithm: the weights are the products over their sum.

    Source:
        Katharopoulos et al. (2020), equations 4 and 7; the logarithm fits them to the
        interface of scores.

    >>> KernelScore()(torch.ones(2, 5), torch.ones(3, 5)).shape
    torch.Size([2, 3])
    """

    @checked()
    def compute(
        self, q: Float[Tensor, "*batch q d_k"], k: Float[Tensor, "*batch k d_k"]
    ) -> Float[Tensor, "*batch q k"]:
        """Return the scores, in float32 for half precision."""
        return torch.log(positive(upcast_half(q)) @ positive(upcast_half(k)).transpose(-1, -2))


def positive(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return elu(x) + 1, written as exp(x) below 0, where the sum would round to 0."""
    return torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0)))


def unit(x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
    """Return vectors of length 1; zeros stay zeros."""
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / length.masked_fill(length == 0, 1)
