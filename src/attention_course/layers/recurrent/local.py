"""Luong's local attention as torch modules: the window, its centre, and any score.

Each computes what its namesake in ``reference.recurrent.local`` computes. Positions count
from 0.
"""

import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float, Int
from attention_course.layers.attention import masked_softmax_unchecked
from attention_course.layers.scores import raw_scores, upcast_half
from attention_course.reference._check import broadcasts_to, one_format, whole
from attention_course.reference._checked import checked


class PredictedCentre(nn.Module):
    r"""Let the decoder's state say where on the source to look (local-p).

    .. math:: p_t = S \cdot \sigma\bigl(\mathbf v_p^\top \tanh(W_p \mathbf h_t)\bigr)

    Args:
        d_query: width of the decoder's state.
        d_p: width of the hidden layer.

    Source:
        Luong et al. (2015), section 3.2, equation 9.

    >>> PredictedCentre(5, 4)(torch.ones(2, 3, 5), torch.tensor([7, 4])).shape
    torch.Size([2, 3])
    """

    def __init__(self, d_query: int, d_p: int):
        super().__init__()
        for name, width in (("d_query", d_query), ("d_p", d_p)):
            if width < 1:
                raise ValueError(f"PredictedCentre: {name} must be at least 1, got {width}")
        self.W_p = nn.Linear(d_query, d_p, bias=False)
        self.v_p = nn.Linear(d_p, 1, bias=False)

    def forward(
        self, q: Float[Tensor, "*batch q d_query"], lengths: Int[Tensor, "..."]
    ) -> Float[Tensor, "*batch q"]:
        """Return a centre between 0 and the length of the source, one for each query.

        Args:
            q: the decoder's states.
            lengths: true lengths of the sources, one for each batch entry or one for each
                query.
        """
        share = torch.sigmoid(self.v_p(torch.tanh(self.W_p(q)))).squeeze(-1)
        if lengths.ndim < share.ndim:
            lengths = lengths.unsqueeze(-1)
        return share * lengths.to(share.dtype)


@checked(D=whole(), mask=broadcasts_to("*batch q k"))
def local_weights(
    scores: Float[Tensor, "*batch q k"],
    p: Float[Tensor, "*batch q"],
    D: int,
    gaussian: bool = True,
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*batch q k"]:
    r"""Softmax over each window alone, then a Gaussian around its centre.

    .. math:: a_t(s) = \operatorname{softmax}_{|s - p_t| \le D}(e_{ts}) \,
       \exp\Bigl(-\frac{(s - p_t)^2}{2 \sigma^2}\Bigr), \qquad \sigma = \frac D2

    The product is not normalised again. Gradients reach the centre through the Gaussian
    alone; the window's edges have none.

    Args:
        scores: any scores, before the softmax.
        p: the centre of each row.
        D: half the window's width.
        gaussian: True for local-p; False for local-m, which has the window alone.
        mask: True = may attend; broadcasts to the scores.

    Returns:
        The weights; all zeros where the window holds no position that may be attended to.

    Source:
        Luong et al. (2015), section 3.2, equations 7 and 10.

    >>> local_weights(torch.zeros(1, 4), torch.tensor([1.0]), 1, gaussian=False).shape
    torch.Size([1, 4])
    """
    return _local_weights(scores, p, D, gaussian, mask).to(scores.dtype)


def _local_weights(
    scores: Tensor, p: Tensor, D: int, gaussian: bool, mask: Tensor | None
) -> Tensor:
    """Do so unchecked, in float32 for half precision, in which 257 is no bfloat16."""
    p = upcast_half(p)
    positions = torch.arange(scores.shape[-1], dtype=p.dtype, device=p.device)
    off = positions - p.unsqueeze(-1)
    inside = off.detach().abs() <= D
    weights = masked_softmax_unchecked(scores, inside if mask is None else inside & mask)
    if gaussian:
        weights = weights * torch.exp(-(off**2) / (2 * (D / 2) ** 2))
    return weights


class LocalAttention(nn.Module):
    r"""Attention through a window: local-m, or local-p if there is a predictor.

    .. math:: \mathbf c_t = \sum_{s = p_t - D}^{p_t + D} a_t(s) \, \mathbf v_s

    Args:
        score: any module with ``score(q, k)``.
        D: half the window's width.
        predictor: where to look; without one, step t looks around position t.

    Source:
        Luong et al. (2015), section 3.2.

    >>> from attention_course.layers.scores import DotScore
    >>> q, k = torch.ones(2, 3, 5), torch.ones(2, 7, 5)
    >>> context, weights, p = LocalAttention(DotScore(), 1)(q, k, k)
    >>> context.shape, weights.shape, p[0].tolist()
    (torch.Size([2, 3, 5]), torch.Size([2, 3, 7]), [0.0, 1.0, 2.0])
    """

    @checked(D=whole())
    def __init__(self, score: nn.Module, D: int, predictor: PredictedCentre | None = None):
        super().__init__()
        self.score, self.D, self.predictor = score, D, predictor

    @checked(one_format("q", "k"), mask=broadcasts_to("*batch q k"))
    def forward(
        self,
        q: Float[Tensor, "*batch q d_q"],
        k: Float[Tensor, "*batch k d_key"],
        v: Float[Tensor, "*batch k d_v"],
        mask: Bool[Tensor, "..."] | None = None,
        first: int = 0,
    ) -> tuple[
        Float[Tensor, "*batch q d_v"], Float[Tensor, "*batch q k"], Float[Tensor, "*batch q"]
    ]:
        """Return the context vectors, the weights, and the centres.

        Args:
            q: queries, the decoder's states at steps ``first``, ``first + 1``, ...
            k: keys.
            v: values, one for each key.
            mask: True = may attend; broadcasts to the scores. The keys that a row may see are
                taken to be the first ones, so their number is its length S.
            first: the step of the first query; a decoder that goes step by step says which.
        """
        scores = raw_scores(self.score, q, k)
        if self.predictor is None:
            steps = torch.arange(first, first + q.shape[-2], device=q.device)
            p = steps.to(scores.dtype).expand(q.shape[:-1])
        else:
            everywhere = torch.ones((), dtype=torch.bool, device=q.device)
            seen = (everywhere if mask is None else mask).expand(scores.shape)
            p = self.predictor(q, seen.sum(-1))
        weights = _local_weights(scores, p, self.D, self.predictor is not None, mask)
        return (weights @ upcast_half(v)).to(v.dtype), weights.to(v.dtype), p.to(q.dtype)
