"""Ring attention: every device keeps a part of the queries, keys and values go round.

What a device does is a generator: it yields the arrays that it hands on, and is sent those that
arrive. :mod:`attention_course.kernels.parallel` drives it.
"""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from attention_course.kernels.tiled import merge_partials

Message = tuple[Tensor, ...]


def see_part(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float
) -> tuple[Tensor, Tensor]:
    r"""Attend to some of the keys; return the contexts and the log-sum-exps.

    .. math:: \mathbf c_i = \sum_j e^{e_{ij} - \ell_i} \mathbf v_j, \qquad
       \ell_i = \log \sum_j e^{e_{ij}}

    Source:
        Liu et al. (2023), algorithm 1; the parts are those of Dao et al. (2022).

    >>> x = torch.zeros(3, 2)
    >>> see_part(x, x, x + 5, None, 1.0)[1].exp()
    tensor([3., 3., 3.])
    """
    scores = scale * q @ k.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    log_sum = scores.logsumexp(dim=-1)
    safe = log_sum.masked_fill(log_sum == -torch.inf, 0.0)
    return (scores - safe[..., None]).exp() @ v, log_sum


@dataclass(frozen=True)
class RingPlan:
    """What all devices of a ring know.

    Attributes:
        places: which places of the sequence each device holds, a row for each.
        causal: whether queries see no later key.
        scale: what the dot products are multiplied by.
    """

    places: Tensor
    causal: bool
    scale: float

    @property
    def devices(self) -> int:
        """How many there are."""
        return len(self.places)

    def mask(self, rank: int, owner: int) -> Tensor | None:
        """Return which of the owner's keys the queries of a device see; None if all."""
        if not self.causal:
            return None
        return self.places[owner] <= self.places[rank][:, None]

    def of_all(self, queries: Tensor) -> Tensor | None:
        """Return which keys of all devices, owner by owner, the queries at these places see."""
        return self.places.flatten() <= queries[:, None] if self.causal else None


def ring_forward(
    rank: int, ring: RingPlan, q: Tensor, k: Tensor, v: Tensor
) -> Generator[Message, Message, Message]:
    r"""Be one device: attend to the keys at hand, merge, hand them on, take the next.

    Args:
        rank: which device this is.
        ring: what all devices know.
        q: its queries.
        k: the keys it begins with.
        v: their values.

    Returns:
        At the end: its contexts and log-sum-exps.

    Source:
        Liu et al. (2023), algorithm 1.

    >>> x, ring = torch.zeros(1, 2), RingPlan(torch.tensor([[0], [1]]), False, 1.0)
    >>> [y.shape for y in next(ring_forward(0, ring, x, x, x))]
    [torch.Size([1, 2]), torch.Size([1, 2])]
    """
    context = q.new_zeros(*q.shape[:-1], v.shape[-1])
    log_sum = torch.full_like(context[..., 0], -torch.inf)
    for step in range(ring.devices):
        owner = (rank - step) % ring.devices  # whose keys are here
        mask = ring.mask(rank, owner)
        if mask is None or mask.any():
            part = see_part(q, k, v, mask, ring.scale)
            both = zip((context, log_sum), part, strict=True)
            context, log_sum = merge_partials(*map(torch.stack, both))
        if step < ring.devices - 1:
            k, v = yield k, v
    return context, log_sum


def ring_backward(
    rank: int,
    ring: RingPlan,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    found: Message,
    gradient: Tensor,
) -> Generator[Message, Message, Message]:
    r"""Be one device in the backward pass: the gradients of keys and values travel with them.

    .. math:: P_{ij} = e^{s\, \mathbf q_i \cdot \mathbf k_j - \ell_i}, \qquad
       \frac{\partial L}{\partial e_{ij}} = P_{ij} \bigl(
       \mathbf g_i \cdot \mathbf v_j - \mathbf g_i \cdot \mathbf c_i \bigr)

    Args:
        rank: which device this is.
        ring: what all devices know.
        q: its queries.
        k: the keys it begins with.
        v: their values.
        found: what :func:`ring_forward` returned.
        gradient: of the loss by the contexts.

    Returns:
        At the end: the gradients by its queries, keys and values.

    Source:
        Liu et al. (2023), section 3; the formula is that of Dao et al. (2022), algorithm 4.

    >>> x, ring = torch.zeros(1, 2), RingPlan(torch.tensor([[0], [1]]), False, 1.0)
    >>> len(next(ring_backward(0, ring, x, x, x, (x, torch.zeros(1)), x)))
    4
    """
    context, log_sum = found
    along = (gradient * context).sum(dim=-1, keepdim=True)
    dq, dk, dv = (torch.zeros_like(x) for x in (q, k, v))
    for step in range(ring.devices):
        mask = ring.mask(rank, (rank - step) % ring.devices)
        weights = (ring.scale * q @ k.mT - log_sum[..., None]).exp()
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        slopes = ring.scale * weights * (gradient @ v.mT - along)
        dq = dq + slopes @ k
        dk = dk + (slopes.mT @ q).sum_to_size(dk.shape)
        dv = dv + (weights.mT @ gradient).sum_to_size(dv.shape)
        if step < ring.devices - 1:
            k, v, dk, dv = yield k, v, dk, dv
        else:
            dk, dv = yield dk, dv  # the last step takes them home
    return dq, dk, dv
