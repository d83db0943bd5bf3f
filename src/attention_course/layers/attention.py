"""Attention as a torch module: any score function, a mask, a softmax, a weighted sum."""

import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.scores import ScaledDotScore, check_pair


class Attention(nn.Module):
    r"""Mix the values, each query with its own weights.

    .. math:: C = \operatorname{softmax}\bigl(e(Q, K)\bigr)\, V

    Args:
        score: the module that computes e; :class:`ScaledDotScore` unless given.

    Source:
        Vaswani et al. (2017), equation 1; Bahdanau et al. (2015), equations 5 and 6.

    >>> context, weights = Attention()(torch.ones(5, 2), torch.ones(3, 2), torch.ones(3, 7))
    >>> context.shape, weights.shape
    (torch.Size([5, 7]), torch.Size([5, 3]))

    Taught in ``transformer/scaling``.
    """

    def __init__(self, score: nn.Module | None = None):
        super().__init__()
        self.score = ScaledDotScore() if score is None else score

    def forward(
        self,
        q: Float[Tensor, "*batch q d_q"],
        k: Float[Tensor, "*batch k d_key"],
        v: Float[Tensor, "*batch k d_v"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[Float[Tensor, "*batch q d_v"], Float[Tensor, "*batch q k"]]:
        """Return the context vectors and the weights.

        A query that may attend to nothing gets weights and a context of zeros, and so do
        its gradients.

        Args:
            q: queries.
            k: keys.
            v: values, one for each key.
            mask: True = may attend; broadcasts to the scores.

        Raises:
            ValueError: if the shapes do not fit, or the mask is not boolean.
        """
        check_pair("Attention", q, k)
        if not isinstance(v, Tensor) or v.ndim < 2 or v.shape[-2] != k.shape[-2]:
            got = tuple(v.shape) if isinstance(v, Tensor) else type(v)
            raise ValueError(
                f"Attention: v must hold one value for each of {k.shape[-2]} keys, got {got}"
            )
        weights = masked_softmax(self.score(q, k), mask)
        return weights @ v, weights


def masked_softmax(
    scores: Float[Tensor, "*batch q k"], mask: Bool[Tensor, "..."] | None = None
) -> Float[Tensor, "*batch q k"]:
    r"""Softmax over the last axis that leaves out what may not be attended to.

    .. math:: \alpha_{ij} = \frac{m_{ij} \exp(e_{ij})}{\sum_l m_{il} \exp(e_{il})}

    Args:
        scores: before the softmax; not changed.
        mask: True = may attend; broadcasts to the scores.

    Returns:
        The weights; a row with nothing to attend to is all zeros, not NaN.

    Raises:
        ValueError: if the mask is not boolean or does not broadcast to the scores.

    Source:
        Vaswani et al. (2017), section 3.2.3, with the empty row decided by this course.

    >>> masked_softmax(torch.zeros(1, 3), torch.tensor([True, True, False]))
    tensor([[0.5000, 0.5000, 0.0000]])

    Taught in ``transformer/scaling``.
    """
    if mask is None:
        return scores.softmax(dim=-1)
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        got = mask.dtype if isinstance(mask, Tensor) else type(mask)
        raise ValueError(f"masked_softmax: mask must be boolean (True = may attend), got {got}")
    try:
        allowed = mask.expand(scores.shape)
    except RuntimeError:
        raise ValueError(
            f"masked_softmax: mask must broadcast to the scores' shape {tuple(scores.shape)}, "
            f"got shape {tuple(mask.shape)}"
        ) from None
    # The lowest finite number, not -inf: a softmax of nothing but -inf has NaN gradients.
    # What an empty row then gets is set to zero.
    low = torch.finfo(scores.dtype).min
    return scores.masked_fill(~allowed, low).softmax(dim=-1).masked_fill(~allowed, 0.0)
