"""A sequence on several devices: keys and values of all gathered, or sequence for heads.

As in a ring, a device is a generator. It yields a part for each device and is sent one from
each, an *all-to-all*; where all parts are alike, that is an *all-gather*.
"""

from collections.abc import Generator, Iterable

import torch
from torch import Tensor

from attention_course.kernels.ring import Message, RingPlan, see_part

Parts = list[Message]


def gather_forward(
    rank: int, plan: RingPlan, q: Tensor, k: Tensor, v: Tensor
) -> Generator[Parts, Parts, Message]:
    """Be one device: fetch all keys and values, attend with the queries at hand.

    Args:
        rank: which device this is.
        plan: what all devices know.
        q: its queries, ``(batch, kv_heads, group, c, d_k)``.
        k: its keys, ``(batch, kv_heads, 1, c, d_k)``.
        v: their values.

    Returns:
        At the end: its contexts.

    Source:
        Grattafiori et al. (2024), section 3.3.2.

    >>> x, plan = torch.zeros(1, 1, 1, 1, 2), RingPlan(torch.tensor([[0], [1]]), False, 1.0)
    >>> [len(part) for part in next(gather_forward(0, plan, x, x, x))]
    [2, 2]
    """
    parts = yield [(k, v)] * plan.devices  # alike for all: an all-gather
    keys, values = joined(parts, dim=-2)
    mask = plan.of_all(plan.places[rank])
    return see_part(q, keys, values, mask, plan.scale)[:1]


def gather_backward(
    rank: int,
    plan: RingPlan,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    found: Message,
    gradient: Tensor,
) -> Generator[Parts, Parts, Message]:
    """Be one device in the backward pass: fetch all again, send gradients to their owners.

    Args:
        rank: which device this is.
        plan: what all devices know.
        q: its queries.
        k: its keys.
        v: their values.
        found: what :func:`gather_forward` returned; unused, for nothing gathered was kept.
        gradient: of the loss by its contexts.

    Returns:
        At the end: the gradients by its queries, keys and values.

    Source:
        The adjoint of an all-gather is a reduce-scatter: each owner adds up what all send.
    """
    parts = yield [(k, v)] * plan.devices
    keys, values = joined(parts, dim=-2)
    mask = plan.of_all(plan.places[rank])
    dq, dk, dv = gradients_here(q, keys, values, mask, plan.scale, gradient)
    back = yield cut((dk, dv), plan.devices, dim=-2)
    dk, dv = (torch.stack(all_of).sum(dim=0) for all_of in zip(*back, strict=True))
    return dq, dk, dv


def ulysses_forward(
    rank: int, plan: RingPlan, q: Tensor, k: Tensor, v: Tensor
) -> Generator[Parts, Parts, Message]:
    """Be one device: change its places of all heads for all places of some heads, and back.

    Args:
        rank: which device this is; here all do the same.
        plan: what all devices know.
        q: its queries, ``(batch, kv_heads, group, c, d_k)``.
        k: its keys, ``(batch, kv_heads, 1, c, d_k)``.
        v: their values.

    Returns:
        At the end: its contexts; and, kept for the backward pass, queries, keys and values of
        its heads.

    Source:
        Jacobs et al. (2023), section 3.

    >>> x, plan = torch.zeros(1, 2, 1, 3, 4), RingPlan(torch.arange(6).view(2, 3), False, 1.0)
    >>> [x.shape for x in next(ulysses_forward(0, plan, x, x, x))[1]]
    [torch.Size([1, 1, 1, 3, 4]), torch.Size([1, 1, 1, 3, 4]), torch.Size([1, 1, 1, 3, 4])]
    """
    shape, mask = q.shape[:-1], plan.of_all(plan.places.flatten())
    heads = with_copies(q, k, v, plan.devices)
    parts = yield cut(heads, plan.devices, dim=1)  # some heads
    q, k, v = joined(parts, dim=-2)  # all places
    context, _ = see_part(q, k, v, mask, plan.scale)
    parts = yield cut([context], plan.devices, dim=-2)  # some places
    return joined(parts, dim=1)[0].reshape(*shape, -1), q, k, v


def ulysses_backward(
    rank: int,
    plan: RingPlan,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    found: Message,
    gradient: Tensor,
) -> Generator[Parts, Parts, Message]:
    """Be one device in the backward pass: the same two exchanges, the other way round.

    Args:
        rank: which device this is; here all do the same.
        plan: what all devices know.
        q: its queries.
        k: its keys.
        v: their values.
        found: what :func:`ulysses_forward` returned.
        gradient: of the loss by its contexts.

    Returns:
        At the end: the gradients by its queries, keys and values.

    Source:
        Jacobs et al. (2023), section 3; the adjoint of an all-to-all is an all-to-all.
    """
    heads, *_ = with_copies(gradient, k, v, plan.devices)
    parts = yield cut([heads], plan.devices, dim=1)
    _, all_q, all_k, all_v = found
    mask = plan.of_all(plan.places.flatten())
    mine = gradients_here(all_q, all_k, all_v, mask, plan.scale, joined(parts, dim=-2)[0])
    back = yield cut(mine, plan.devices, dim=-2)
    dq, *shared = joined(back, dim=1)
    dk, dv = (x.unflatten(1, (k.shape[1], -1)).sum(dim=2) for x in shared)  # over copies
    return dq.reshape(q.shape), dk, dv


def with_copies(q: Tensor, k: Tensor, v: Tensor, devices: int) -> Message:
    """Repeat heads of keys and values where there are fewer than devices; regroup queries."""
    copies = max(devices // k.shape[1], 1)
    k, v = (x.repeat_interleave(copies, dim=1) for x in (k, v))
    return q.reshape(k.shape[0], k.shape[1], -1, *q.shape[-2:]), k, v


def cut(arrays: Iterable[Tensor], devices: int, dim: int) -> Parts:
    """Return a part of each array for each device."""
    return list(zip(*(x.chunk(devices, dim=dim) for x in arrays), strict=True))


def joined(parts: Parts, dim: int) -> Message:
    """Put the parts that all devices sent side by side."""
    return tuple(torch.cat(pieces, dim=dim) for pieces in zip(*parts, strict=True))


def gradients_here(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float, gradient: Tensor
) -> Message:
    """Return the gradients by queries, keys and values, on this device alone."""
    q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
    return torch.autograd.grad(see_part(q, k, v, mask, scale)[0], (q, k, v), gradient)
