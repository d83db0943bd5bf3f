"""Attention as a torch module: any score function, a mask, a softmax, a weighted sum.

The layers check formats and shapes and never look at a value, because a GPU would have to
wait for the answer. NaN in a query makes its weights and its context NaN, NaN in a key those of
every query that sees it. NaN or infinity in a *value* reaches every query, also one with weight
0: 0 times either is NaN. A score of infinity gives NaN, one of minus infinity the weight 0. A
row of nothing else is NaN, as in torch, where ``reference`` has zeros; the rows that the mask
leaves empty are zeros in both.
"""

import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.scores import ScaledDotScore, raw_scores, upcast_half
from attention_course.reference._check import broadcasts_to, finite, one_format
from attention_course.reference._checked import checked


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
    """

    def __init__(self, score: nn.Module | None = None):
        super().__init__()
        self.score = ScaledDotScore() if score is None else score

    @checked(one_format("q", "k"), mask=broadcasts_to("*batch q k"))
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
        """
        return attend(self.scores(q, k), v, mask)

    def scores(self, q: Tensor, k: Tensor) -> Tensor:
        """Return the scores, in float32 for half precision."""
        return raw_scores(self.score, q, k)

    def mix(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Do what a call does, for a layer that has checked its own arguments.

        Keys and values may come in float32 where the queries are in half precision.
        """
        context, weights = attend(self.scores(q, k), v, mask)
        return context.to(q.dtype), weights.to(q.dtype)


@checked(one_format("q", "k"), scale=finite, mask=broadcasts_to("*batch q k"))
def scaled_dot_product_attention(
    q: Float[Tensor, "*batch q d_k"],
    k: Float[Tensor, "*batch k d_k"],
    v: Float[Tensor, "*batch k d_v"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    scale: float | None = None,
) -> tuple[Float[Tensor, "*batch q d_v"], Float[Tensor, "*batch q k"]]:
    r"""Mix the values, each query with its own weights.

    .. math:: C = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    The function for the module ``Attention()``, with the arguments and the name that it has
    in ``reference``. Unlike torch's function of this name it returns the weights too.

    Half precision is computed in float32 and rounded once, as torch's math backend does. No
    value is looked at, because a GPU would have to wait: NaN or infinity in a query, key or
    value makes the contexts NaN that see it.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key; their width may differ from d_k.
        mask: True = may attend; broadcasts to the scores. A query that may attend to
            nothing gets a context of zeros.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given. It is
            given by its name, because torch's function has its dropout in this place.

    Returns:
        The context vectors and the weights.

    Source:
        Vaswani et al. (2017), equation 1.

    >>> q, k, v = torch.ones(5, 2), torch.ones(3, 2), torch.ones(3, 7)
    >>> context, weights = scaled_dot_product_attention(q, k, v)
    >>> context.shape, weights.shape
    (torch.Size([5, 7]), torch.Size([5, 3]))
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    scores = scale * upcast_half(q) @ upcast_half(k).transpose(-1, -2)
    weights = masked_softmax_unchecked(scores, mask)
    return (weights @ upcast_half(v)).to(v.dtype), weights.to(v.dtype)


@checked(mask=broadcasts_to("*batch q k"))
def masked_softmax(
    scores: Float[Tensor, "*batch q k"],
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*batch q k"]:
    r"""Softmax over the last axis that leaves out what may not be attended to.

    .. math:: \alpha_{ij} = \frac{m_{ij} \exp(e_{ij})}{\sum_l m_{il} \exp(e_{il})}

    Args:
        scores: before the softmax; not changed.
        mask: True = may attend; broadcasts to the scores.

    Returns:
        The weights; a row with nothing to attend to is all zeros, not NaN.

    Source:
        Vaswani et al. (2017), section 3.2.3, with the empty row decided by this course.

    >>> masked_softmax(torch.zeros(1, 3), torch.tensor([True, True, False]))
    tensor([[0.5000, 0.5000, 0.0000]])
    """
    return masked_softmax_unchecked(scores, mask).to(scores.dtype)


def attend(
    scores: Float[Tensor, "*batch q k"],
    v: Float[Tensor, "*batch k d_v"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[Float[Tensor, "*batch q d_v"], Float[Tensor, "*batch q k"]]:
    r"""What every attention does once it has its scores; checks nothing.

    .. math:: \mathbf c_i = \sum_j \alpha_{ij} \mathbf v_j

    Args:
        scores: before the softmax; in float32 where the values are in half precision.
        v: values, one for each key.
        mask: True = may attend; broadcasts to the scores.

    Returns:
        The contexts and the weights, in the format of the values: in half precision they are
        rounded once, at the end.

    Source:
        Vaswani et al. (2017), equation 1.

    >>> attend(torch.zeros(1, 2), torch.tensor([[1.0], [3.0]]))[0]
    tensor([[2.]])
    """
    weights = masked_softmax_unchecked(scores, mask)
    return (weights @ upcast_half(v)).to(v.dtype), weights.to(v.dtype)


def masked_softmax_unchecked(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Do what :func:`masked_softmax` does, unchecked and in float32 for half precision."""
    scores = upcast_half(scores)
    if mask is None:
        return scores.softmax(dim=-1)
    # The lowest finite number, not -inf: a softmax of nothing but -inf
    # has NaN gradients. What an empty row then gets is set to zero.
    low = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~mask, low).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)
