"""What a decoder keeps while it writes: all keys and values, or those of a window."""

from typing import Any, ClassVar

import torch
from torch import Tensor

from attention_course._shapes import Float
from attention_course.reference._check import Call, whole
from attention_course.reference._checked import checked

#: The lengths of the axes of what is appended.
LENGTHS: dict[str, Any] = {
    "batch": lambda self: self.keys.shape[0],
    "kv_heads": lambda self: self.keys.shape[1],
    "d_k": lambda self: self.keys.shape[3],
    "d_v": lambda self: self.values.shape[3],
}


def _as_the_cache(call: Call) -> None:
    for name in ("k", "v"):
        dtype = call["self"].keys.dtype
        if call.given[name].dtype != dtype:
            raise call.fail(name, f"in the cache's format, {dtype}", call.given[name].dtype)


class Cache:
    r"""Memory for the keys and values of one layer, taken once.

    Args:
        batch: how many texts are written side by side.
        n_kv_heads: heads with keys and values of their own.
        room: positions that there is room for.
        d_k: width of a key.
        d_v: width of a value; ``d_k`` unless given.
        **where: their number format, ``dtype``, and their ``device``; torch's own unless given.

    Attributes:
        length: how many positions have come.
        mask: None, for every position that is kept may be seen.

    Source:
        Shazeer (2019), section 2.4, counts what is kept.

    >>> Cache(batch=1, n_kv_heads=2, room=8, d_k=4).k.shape
    torch.Size([1, 2, 0, 4])
    """

    mask: ClassVar[None] = None

    @checked(batch=whole(), n_kv_heads=whole(), room=whole(), d_k=whole(), d_v=whole())
    def __init__(
        self,
        batch: int,
        n_kv_heads: int,
        room: int,
        d_k: int,
        d_v: int | None = None,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ):
        shape = batch, n_kv_heads, room
        where: Any = {"dtype": dtype, "device": device}
        self.keys = torch.empty(*shape, d_k, **where)
        self.values = torch.empty(*shape, d_v or d_k, **where)
        self.length = 0

    @property
    def k(self) -> Float[Tensor, "batch kv_heads kept d_k"]:
        """The keys that are kept: a view, nothing is copied."""
        return self.keys[:, :, : self.length]

    @property
    def v(self) -> Float[Tensor, "batch kv_heads kept d_v"]:
        """The values that are kept, as a view."""
        return self.values[:, :, : self.length]


class KVCache(Cache):
    r"""All keys and values of one layer, in memory that is taken once.

    .. math:: K[t] = k_t, \qquad V[t] = v_t

    Its arguments are those of :class:`Cache`.

    Source:
        Follows from the causal mask of Vaswani et al. (2017), section 3.2.3: what lies behind
        a position never changes.

    >>> cache = KVCache(batch=1, n_kv_heads=2, room=8, d_k=4)
    >>> cache.append(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4))
    >>> cache.length, cache.k.shape
    (3, torch.Size([1, 2, 3, 4]))
    """

    @checked(_as_the_cache, **LENGTHS)
    def append(
        self,
        k: Float[Tensor, "batch kv_heads new d_k"],
        v: Float[Tensor, "batch kv_heads new d_v"],
    ) -> None:
        """Keep the keys and values of the next positions."""
        end, room = self.length + k.shape[2], self.keys.shape[2]
        if end > room:
            got = f"{room} positions, got {end}"
            raise ValueError(f"KVCache: k must fit into {got}")
        self.keys[:, :, self.length : end] = k
        self.values[:, :, self.length : end] = v
        self.length = end


class WindowCache(Cache):
    r"""Keys and values of the last positions alone, in a ring that is written over.

    .. math:: K[t \bmod w] = k_t, \qquad V[t \bmod w] = v_t

    In a full ring the newest position is beside the oldest. A weighted sum does not ask in
    which order its terms come, so attention may read the ring as it lies. Positions come one at
    a time: of several at once, the last would be written over keys that the first still sees.
    Its arguments are those of :class:`Cache`; ``room`` is the window, w.

    Source:
        Jiang et al. (2023), section 2, "Rolling Buffer Cache".

    >>> cache = WindowCache(batch=1, n_kv_heads=1, room=3, d_k=1)
    >>> for t in range(5):
    ...     cache.append(torch.full((1, 1, 1, 1), t * 1.0), torch.ones(1, 1, 1, 1))
    >>> cache.length, cache.k.flatten().tolist()
    (5, [3.0, 4.0, 2.0])
    """

    @checked(_as_the_cache, **LENGTHS, new=lambda: 1)
    def append(
        self,
        k: Float[Tensor, "batch kv_heads new d_k"],
        v: Float[Tensor, "batch kv_heads new d_v"],
    ) -> None:
        """Write the next position over the oldest."""
        slot = self.length % self.keys.shape[2]
        self.keys[:, :, slot] = k[:, :, 0]
        self.values[:, :, slot] = v[:, :, 0]
        self.length += 1
