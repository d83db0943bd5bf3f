"""How much memory a call needs besides what it is given: counted, not sampled."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention_course.measure.device import Device, this_device


class _Lives(TorchDispatchMode):
    """Follows every piece of storage from the operation that makes it to its end."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.alive: dict[int, tuple[StorageWeakRef, int]] = {}
        self.peak = 0

    def __torch_dispatch__(
        self,
        function: Any,
        types: Any,
        arguments: tuple[Any, ...] = (),
        named: Mapping[str, Any] | None = None,
    ) -> Any:
        self._bury()
        given = {s._cdata for s in _storages((arguments, named))}
        result = function(*arguments, **(named or {}))
        for storage in _storages(result):
            # In-place operations and views return storage that was there before.
            if storage._cdata not in given and storage._cdata not in self.alive:
                # Held weakly: a reference would keep alive what is to be seen freed.
                self.alive[storage._cdata] = (StorageWeakRef(storage), storage.nbytes())
        self.peak = max(self.peak, sum(size for _, size in self.alive.values()))
        return result

    def _bury(self) -> None:
        """Forget what has been freed since the last operation."""
        ended = [key for key, (storage, _) in self.alive.items() if storage.expired()]
        for key in ended:
            del self.alive[key]


def peak_extra_bytes(call: Callable[[], object], device: Device | None = None) -> int:
    """Return the most memory that a call holds at one time besides what there was before.

    Its result counts, what it is given does not. On a GPU torch's allocator keeps the count. On
    a CPU each operation's results are followed until they are freed, so that the count is the
    same on every processor; what a fused kernel needs inside one operation is not seen there.

    Args:
        call: what is counted; on a GPU it runs once before, so that libraries have set up.
        device: where it computes; :func:`this_device` unless given.

    Source:
        ``torch.cuda.max_memory_allocated``; ``TorchDispatchMode``.

    >>> x = torch.zeros(1000)
    >>> peak_extra_bytes(lambda: (x + 1) * 2, this_device("cpu"))
    8000
    >>> peak_extra_bytes(lambda: x.add_(1), this_device("cpu"))
    0
    """
    if not callable(call):
        message = f"peak_extra_bytes: expected something to call, got {call!r:.60}"
        raise ValueError(message)  # noqa: TRY004 - as everywhere in the course
    if (device or this_device()).kind == "cuda":
        return _asked_of_the_allocator(call)
    with _Lives() as lives:
        call()
    return lives.peak


def _asked_of_the_allocator(call: Callable[[], object]) -> int:
    call()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    call()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def _storages(values: Any) -> list[Any]:
    return [x.untyped_storage() for x in tree_leaves(values) if isinstance(x, Tensor)]
