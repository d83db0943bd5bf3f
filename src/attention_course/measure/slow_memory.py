"""How many bytes a computation reads from a slow memory and writes to it, counted."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def traffic(compute: Callable[..., Any], *inputs: Tensor) -> tuple[int, int]:
    r"""Count what a computation moves if its inputs lie in a slow memory.

    A slice of what lies there comes to the chip, and what is made of it stays on the chip; an
    assignment to a slice goes back. A matrix product or a softmax of what still lies in memory
    is a kernel of its own: it reads its arguments and writes its result. As in
    ``attention_work``, scaling, masks and conversions of numbers are not counted.

    Args:
        compute: called with the inputs. What it allocates by ``new_empty`` of an input lies in
            the slow memory as well.
        inputs: tensors; they are not changed.

    Returns:
        Bytes read and bytes written, the same on every machine.

    Source:
        The two levels of memory are those of Hong and Kung (1981); written for this course.

    >>> x = torch.ones(4, 2)
    >>> traffic(lambda x: x[:3].sum(), x), traffic(lambda x: x @ x.mT, x)
    ((24, 0), (64, 64))
    """
    _check_tensors(inputs)
    moved = {"read": 0, "written": 0}

    class Slow(torch.Tensor):
        @classmethod
        def __torch_function__(
            cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            base: Any = super()
            made = base.__torch_function__(function, types, args, kwargs)
            name = function.__name__.strip("_")
            if name == "getitem":  # comes to the chip, and stays there
                moved["read"] += made.nbytes
                return made.as_subclass(torch.Tensor)
            if name == "setitem":  # goes back
                place = args[0].as_subclass(torch.Tensor)[args[1]]
                moved["written"] += place.nbytes
            if name in ("matmul", "softmax"):  # a kernel of its own
                there = [x for x in args if isinstance(x, Slow)]
                moved["read"] += sum(x.nbytes for x in there)
                moved["written"] += made.nbytes
            return made

    with torch.no_grad():
        compute(*(x.detach().as_subclass(Slow) for x in inputs))
    return moved["read"], moved["written"]


def _check_tensors(inputs: tuple[Any, ...]) -> None:
    if not inputs or not all(isinstance(x, Tensor) for x in inputs):
        got = ", ".join(type(x).__name__ for x in inputs) or "none"
        raise ValueError(f"traffic: inputs must be one or more tensors, got {got}")
