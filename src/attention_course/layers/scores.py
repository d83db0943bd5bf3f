"""Score functions as torch modules, all called in the same way: ``score(q, k)``.

Each is checked against its namesake in ``reference``, values and gradients. In half precision
all of them compute in float32; called alone, they round what comes out, while an attention
takes their numbers as they are.
"""

import abc
import math

import torch
from torch import Tensor, nn

from attention_course._shapes import Float


class Score(nn.Module, abc.ABC):
    """The interface: a subclass checks its arguments in one method and computes in another.

    >>> isinstance(DotScore(), Score)
    True
    """

    def check(self, function: str, q: Tensor, k: Tensor) -> None:
        """Raise unless there is a score for these; ``function`` is whom the caller called."""
        check_pair(function, q, k)

    @abc.abstractmethod
    def compute(self, q: Tensor, k: Tensor) -> Tensor:
        """Return the scores of checked arguments, in float32 for half precision."""

    def forward(
        self, q: Float[Tensor, "*batch q d_q"], k: Float[Tensor, "*batch k d_key"]
    ) -> Float[Tensor, "*batch q k"]:
        """Return one score for each pair of a query and a key."""
        self.check(type(self).__name__, q, k)
        return self.compute(q, k).to(q.dtype)


class DotScore(Score):
    r"""Dot product of every query with every key; no parameters.

    .. math:: e_{ij} = \mathbf q_i \cdot \mathbf k_j

    Source:
        Luong et al. (2015), section 3.1, "dot".

    >>> DotScore()(torch.ones(2, 5), torch.ones(3, 5)).shape
    torch.Size([2, 3])
    """

    def check(self, function: str, q: Tensor, k: Tensor) -> None:
        """Raise unless both have the same width."""
        super().check(function, q, k)
        check_same_width(function, q, k)

    def compute(self, q: Tensor, k: Tensor) -> Tensor:
        """Return the scores of checked arguments, in float32 for half precision."""
        return wide(q) @ wide(k).transpose(-1, -2)


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

    def __init__(self, scale: float | None = None):
        super().__init__()
        if scale is not None and not math.isfinite(scale):
            raise ValueError(f"ScaledDotScore: scale must be a finite number, got {scale}")
        self.scale = scale

    def compute(self, q: Tensor, k: Tensor) -> Tensor:
        """Return the scores of checked arguments, in float32 for half precision."""
        scale = q.shape[-1] ** -0.5 if self.scale is None else self.scale
        return super().compute(scale * wide(q), k)


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

    def __init__(
        self, d_q: int, d_key: int, d_a: int, generator: torch.Generator | None = None
    ):
        super().__init__()
        check_positive("AdditiveScore", d_q=d_q, d_key=d_key, d_a=d_a)
        # skip_init: nn.Linear would draw from torch's global generator first.
        self.W_q = nn.utils.skip_init(nn.Linear, d_q, d_a, bias=False)
        self.W_k = nn.utils.skip_init(nn.Linear, d_key, d_a, bias=False)
        self.w_v = nn.utils.skip_init(nn.Linear, d_a, 1, bias=False)
        for layer in (self.W_q, self.W_k, self.w_v):
            bound = layer.in_features**-0.5
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)

    def check(self, function: str, q: Tensor, k: Tensor) -> None:
        """Raise unless both have the widths that the weights were made for."""
        super().check(function, q, k)
        check_width(function, "q", q, self.W_q.in_features)
        check_width(function, "k", k, self.W_k.in_features)

    def compute(self, q: Tensor, k: Tensor) -> Tensor:
        """Return the scores of checked arguments, in float32 for half precision."""
        asked, answers = wide(self.W_q(q)), wide(self.W_k(k))
        hidden = torch.tanh(asked.unsqueeze(-2) + answers.unsqueeze(-3))
        return nn.functional.linear(hidden, wide(self.w_v.weight)).squeeze(-1)


def check_scored(function: str, score: nn.Module, q: Tensor, k: Tensor) -> None:
    """Raise unless a score function, of ours or of a reader, can take these."""
    if isinstance(score, Score):
        score.check(function, q, k)
    else:
        check_pair(function, q, k)


def raw_scores(score: nn.Module, q: Tensor, k: Tensor) -> Tensor:
    """Return the scores of checked arguments as they are before any rounding."""
    return score.compute(q, k) if isinstance(score, Score) else wide(score(q, k))


def wide(x: Tensor) -> Tensor:
    """Return half precision as float32, in which sums are made; other numbers as they are."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def finest(device: torch.device) -> torch.dtype:
    """Return the finest number format of a device: float64, or float32 on a Mac's."""
    return torch.float32 if device.type == "mps" else torch.float64


def check_pair(function: str, q: Tensor, k: Tensor) -> None:
    """Raise unless queries and keys are floats with at least two axes and the same dtype."""
    for name, x in (("q", q), ("k", k)):
        if not isinstance(x, Tensor) or not x.is_floating_point() or x.ndim < 2:
            got = f"{x.dtype} of shape {tuple(x.shape)}" if isinstance(x, Tensor) else type(x)
            raise ValueError(
                f"{function}: {name} must be a float tensor with at least two axes, got {got}"
            )
    if q.dtype != k.dtype:
        raise ValueError(
            f"{function}: q and k must have the same dtype, got {q.dtype}, {k.dtype}"
        )


def check_same_width(function: str, q: Tensor, k: Tensor) -> None:
    """Raise unless queries and keys have the same width."""
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(
            f"{function}: q and k must agree in their last axis, d_k, "
            f"got q of shape {tuple(q.shape)} and k of shape {tuple(k.shape)}"
        )


def check_positive(function: str, **sizes: int) -> None:
    """Raise unless every size is a positive whole number."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError(
                f"{function}: {name} must be a positive whole number, got {size!r}"
            )


def check_width(function: str, name: str, x: Tensor, width: int) -> None:
    """Raise unless the last axis has the width that the weights were made for."""
    if x.shape[-1] != width:
        raise ValueError(
            f"{function}: {name} must have width {width}, got shape {tuple(x.shape)}"
        )
