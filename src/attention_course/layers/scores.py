"""Score functions as torch modules, all called in the same way: ``score(q, k)``.

Each is checked against its namesake in ``reference``, values and gradients. In half precision
all of them compute in float32; called alone, they round what comes out, while an attention
takes their numbers as they are.
"""

import abc

import torch
from torch import Tensor, nn

from attention_course._shapes import Float
from attention_course.reference._check import finite, one_format, whole
from attention_course.reference._checked import checked


class Score(nn.Module, abc.ABC):
    """The interface: a subclass computes the scores, and checks what it computes them from.

    >>> isinstance(DotScore(), Score)
    True
    """

    @abc.abstractmethod
    def compute(self, q: Tensor, k: Tensor) -> Tensor:
        """Return the scores, in float32 for half precision."""

    @checked(one_format("q", "k"))
    def forward(
        self, q: Float[Tensor, "*batch q d_q"], k: Float[Tensor, "*batch k d_key"]
    ) -> Float[Tensor, "*batch q k"]:
        """Return one score for each pair of a query and a key."""
        return self.compute(q, k).to(q.dtype)


class DotScore(Score):
    r"""Dot product of every query with every key; no parameters.

    .. math:: e_{ij} = \mathbf q_i \cdot \mathbf k_j

    Source:
        Luong et al. (2015), section 3.1, "dot".

    >>> DotScore()(torch.ones(2, 5), torch.ones(3, 5)).shape
    torch.Size([2, 3])
    """

    @checked()
    def compute(
        self, q: Float[Tensor, "*batch q d_k"], k: Float[Tensor, "*batch k d_k"]
    ) -> Float[Tensor, "*batch q k"]:
        """Return the scores, in float32 for half precision."""
        return upcast_half(q) @ upcast_half(k).transpose(-1, -2)


class ScaledDotScore(DotScore):
    r"""Dot product times a factor, which multiplies the query first; no parameters.

    .. math:: e_{ij} = \frac{\mathbf q_i}{\sqrt{d_k}} \cdot \mathbf k_j

    Args:
        scale: the factor; ``1 / sqrt(d_k)`` unless given.

    Source:
        Vaswani et al. (2017), equation 1.

    >>> ScaledDotScore()(torch.ones(1, 4), torch.ones(1, 4)).item()
    2.0
    """

    @checked(scale=finite)
    def __init__(self, scale: float | None = None):
        super().__init__()
        self.scale = scale

    @checked()
    def compute(
        self, q: Float[Tensor, "*batch q d_k"], k: Float[Tensor, "*batch k d_k"]
    ) -> Float[Tensor, "*batch q k"]:
        """Return the scores, in float32 for half precision."""
        scale = q.shape[-1] ** -0.5 if self.scale is None else self.scale
        return super().compute(scale * upcast_half(q), k)


class AdditiveScore(Score):
    r"""A network with one hidden layer looks at query and key together.

    .. math:: e_{ij} = \mathbf w_v \cdot \tanh(\mathbf q_i W_q + \mathbf k_j W_k)

    Its parameters are those three and nothing else: the softmax that follows has none. It
    builds one hidden vector for each pair, so memory grows with queries x keys x ``d_a``.

    Args:
        d_q: width of a query.
        d_key: width of a key; may differ from ``d_q``.
        d_a: width of the hidden layer.
        generator: where the initial weights are drawn from; torch's own unless given.

    Source:
        Bahdanau et al. (2015), section 3.1 and appendix A.1.2 (their v_a, W_a and U_a).

    >>> AdditiveScore(4, 6, 5)(torch.ones(2, 4), torch.ones(3, 6)).shape
    torch.Size([2, 3])
    """

    @checked(d_q=whole(), d_key=whole(), d_a=whole())
    def __init__(
        self, d_q: int, d_key: int, d_a: int, generator: torch.Generator | None = None
    ):
        super().__init__()
        # skip_init: nn.Linear would draw from torch's global generator first.
        self.W_q = nn.utils.skip_init(nn.Linear, d_q, d_a, bias=False)
        self.W_k = nn.utils.skip_init(nn.Linear, d_key, d_a, bias=False)
        self.w_v = nn.utils.skip_init(nn.Linear, d_a, 1, bias=False)
        for layer in (self.W_q, self.W_k, self.w_v):
            bound = layer.in_features**-0.5
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)

    @checked(d_q=lambda self: self.W_q.in_features, d_key=lambda self: self.W_k.in_features)
    def compute(
        self, q: Float[Tensor, "*batch q d_q"], k: Float[Tensor, "*batch k d_key"]
    ) -> Float[Tensor, "*batch q k"]:
        """Return the scores, in float32 for half precision."""
        asked, answers = upcast_half(self.W_q(q)), upcast_half(self.W_k(k))
        hidden = torch.tanh(asked.unsqueeze(-2) + answers.unsqueeze(-3))
        return nn.functional.linear(hidden, upcast_half(self.w_v.weight)).squeeze(-1)


def raw_scores(score: nn.Module, q: Tensor, k: Tensor) -> Tensor:
    """Return the scores of checked arguments as they are before any rounding."""
    return score.compute(q, k) if isinstance(score, Score) else upcast_half(score(q, k))


def upcast_half(x: Tensor) -> Tensor:
    """Return half precision as float32, in which sums are made; other numbers as they are."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def finest(device: torch.device) -> torch.dtype:
    """Return the finest number format of a device: float64, or float32 on a Mac's."""
    return torch.float32 if device.type == "mps" else torch.float64
