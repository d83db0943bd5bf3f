"""Luong's scores beside the dot product, as torch modules: general, concat and location."""

import torch
from torch import Tensor, nn

from attention_course._shapes import Float
from attention_course.layers.scores import Score, upcast_half
from attention_course.reference._check import whole
from attention_course.reference._checked import checked


class GeneralScore(Score):
    r"""Dot product with a learned matrix between query and key; no bias.

    .. math:: e_{ij} = \mathbf q_i^\top W \mathbf k_j

    Args:
        d_q: width of a query.
        d_key: width of a key; may differ from ``d_q``.
        generator: where the initial weights are drawn from; torch's own unless given.

    Source:
        Luong et al. (2015), section 3.1, "general" (their W_a).

    >>> GeneralScore(4, 6)(torch.ones(2, 4), torch.ones(3, 6)).shape
    torch.Size([2, 3])
    """

    @checked(d_q=whole(), d_key=whole())
    def __init__(self, d_q: int, d_key: int, generator: torch.Generator | None = None):
        super().__init__()
        self.W = nn.Parameter(_uniform((d_q, d_key), d_key, generator))

    @checked(d_q=lambda self: self.W.shape[0], d_key=lambda self: self.W.shape[1])
    def compute(
        self, q: Float[Tensor, "*batch q d_q"], k: Float[Tensor, "*batch k d_key"]
    ) -> Float[Tensor, "*batch q k"]:
        """Return the scores, in float32 for half precision."""
        return upcast_half(q) @ upcast_half(self.W) @ upcast_half(k).transpose(-1, -2)


class ConcatScore(Score):
    r"""A network with one hidden layer reads query and key, one behind the other.

    .. math:: e_{ij} = \mathbf w_v \cdot \tanh\bigl([\mathbf q_i ; \mathbf k_j]\, W\bigr)

    The joined vectors are built for every pair, as the formula reads; the additive score
    computes the same numbers from two products that each pair only adds.

    Args:
        d_q: width of a query.
        d_key: width of a key; may differ from ``d_q``.
        d_a: width of the hidden layer.
        generator: where the initial weights are drawn from; torch's own unless given.

    Source:
        Luong et al. (2015), section 3.1, "concat" (their v_a and the transpose of their W_a).

    >>> ConcatScore(4, 6, 5)(torch.ones(2, 4), torch.ones(3, 6)).shape
    torch.Size([2, 3])
    """

    @checked(d_q=whole(), d_key=whole(), d_a=whole())
    def __init__(
        self, d_q: int, d_key: int, d_a: int, generator: torch.Generator | None = None
    ):
        super().__init__()
        self.d_q, self.d_key = d_q, d_key
        self.W = nn.Parameter(_uniform((d_q + d_key, d_a), d_q + d_key, generator))
        self.w_v = nn.Parameter(_uniform((d_a,), d_a, generator))

    @checked(d_q=lambda self: self.d_q, d_key=lambda self: self.d_key)
    def compute(
        self, q: Float[Tensor, "*batch q d_q"], k: Float[Tensor, "*batch k d_key"]
    ) -> Float[Tensor, "*batch q k"]:
        """Return the scores, in float32 for half precision."""
        q, k = upcast_half(q), upcast_half(k)
        n_queries, n_keys = q.shape[-2], k.shape[-2]
        left = q.unsqueeze(-2).expand(*q.shape[:-1], n_keys, self.d_q)
        right = k.unsqueeze(-3).expand(*k.shape[:-2], n_queries, n_keys, self.d_key)
        hidden = torch.tanh(torch.cat([left, right], dim=-1) @ upcast_half(self.W))
        return hidden @ upcast_half(self.w_v)


class LocationScore(Score):
    r"""Scores from the query alone: one column of W for each place in the source.

    .. math:: e_{ij} = (\mathbf q_i W)_j

    The keys are counted, never read. Keys beyond the last column get minus infinity.

    Args:
        d_q: width of a query.
        longest: how many places have a score, however long the source is.
        generator: where the initial weights are drawn from; torch's own unless given.

    Source:
        Luong et al. (2015), section 3.1, equation 8 and its footnote (the
        transpose of their W_a).

    >>> LocationScore(4, 9)(torch.ones(2, 4), torch.ones(3, 6)).shape
    torch.Size([2, 3])
    """

    @checked(d_q=whole(), longest=whole())
    def __init__(self, d_q: int, longest: int, generator: torch.Generator | None = None):
        super().__init__()
        self.W = nn.Parameter(_uniform((d_q, longest), d_q, generator))

    @checked(d_q=lambda self: self.W.shape[0])
    def compute(
        self, q: Float[Tensor, "*batch q d_q"], k: Float[Tensor, "*batch k d_key"]
    ) -> Float[Tensor, "*batch q k"]:
        """Return the scores, in float32 for half precision."""
        n_keys = k.shape[-2]
        scores = upcast_half(q) @ upcast_half(self.W[:, :n_keys])
        beyond = n_keys - scores.shape[-1]
        return nn.functional.pad(scores, (0, beyond), value=float("-inf"))


def _uniform(shape: tuple[int, ...], fan_in: int, generator: torch.Generator | None) -> Tensor:
    """Draw initial weights as ``nn.Linear`` does."""
    bound = fan_in**-0.5
    return torch.empty(shape).uniform_(-bound, bound, generator=generator)
