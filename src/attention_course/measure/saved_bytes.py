"""How many bytes a computation keeps for its backward pass: counted, not estimated."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def saved_bytes(
    compute: Callable[..., Tensor], *inputs: Tensor, parameters: Iterable[Tensor] = ()
) -> int:
    r"""Count the bytes that autograd keeps until the backward pass.

    .. math:: \sum_{\text{stores } S} \text{bytes}(S)

    Every tensor that a later gradient needs is handed to a hook; each piece of storage
    counts once. What was there before, inputs and parameters, does not count.

    Args:
        compute: called with the inputs; builds a graph.
        inputs: what it is called with.
        parameters: what it has besides, for example a module's ``parameters()``.

    Returns:
        Bytes. The same on every machine, unlike a process's memory.

    Source:
        ``torch.autograd.graph.saved_tensors_hooks``.

    >>> x = torch.ones(10, 3, requires_grad=True)
    >>> saved_bytes(torch.tanh, x), saved_bytes(lambda x: torch.tanh(torch.exp(x)), x)
    (120, 240)
    """
    there = {x.untyped_storage().data_ptr() for x in (*inputs, *parameters)}
    kept: dict[int, int] = {}

    def keep(x: Tensor) -> Tensor:
        store = x.untyped_storage()
        if store.data_ptr() not in there:
            # By the address of the storage: several tensors may be views of one.
            kept[store.data_ptr()] = store.nbytes()
        return x

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        result = compute(*inputs)
    if not result.requires_grad:
        raise ValueError("saved_bytes: compute must build a graph, got one without gradients")
    return sum(kept.values())
