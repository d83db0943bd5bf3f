"""What a decoder keeps while it writes: all keys and values, or those of a window."""

from typing import Any, ClassVar

import torch
from torch import Tensor

from attention_course._shapes import Float


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

    def __init__(
        self,
        batch: int,
        n_kv_heads: int,
        room: int,
        d_k: int,
        d_v: int | None = None,
        **where: Any,
    ):
        check_sizes(type(self).__name__, batch, n_kv_heads, room, d_k, d_v)
        shape = batch, n_kv_heads, room
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

    def append(
        self,
        k: Float[Tensor, "batch kv_heads new d_k"],
        v: Float[Tensor, "batch kv_heads new d_v"],
    ) -> None:
        """Keep the keys and values of the next positions."""
        check_new(self, k, v)
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

    In a full ring the newest position stands beside the oldest. A weighted sum does not ask in
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

    def append(
        self,
        k: Float[Tensor, "batch kv_heads new d_k"],
        v: Float[Tensor, "batch kv_heads new d_v"],
    ) -> None:
        """Write the next position over the oldest."""
        check_new(self, k, v)
        check_one(k)
        slot = self.length % self.keys.shape[2]
        self.keys[:, :, slot] = k[:, :, 0]
        self.values[:, :, slot] = v[:, :, 0]
        self.length += 1


def check_one(k: Tensor) -> None:
    """Raise unless a ring is given a single position."""
    if k.shape[2] != 1:
        one = f"k must hold one position at a time, got {k.shape[2]}"
        raise ValueError(f"WindowCache: {one}: the last would hide what the first may see")


def check_sizes(function: str, *sizes: object) -> None:
    """Raise unless all sizes are positive whole numbers; the last may be None."""
    names = ("batch", "n_kv_heads", "room", "d_k", "d_v")
    for name, n in zip(names, sizes, strict=True):
        left_out = name == "d_v" and n is None
        if not left_out and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
            raise ValueError(f"{function}: {name} must be a positive whole number, got {n!r}")


def check_new(cache: Cache, k: Tensor, v: Tensor) -> None:
    """Raise unless new keys and values fit to those that are kept."""
    function = type(cache).__name__
    for name, old, x in (("k", cache.keys, k), ("v", cache.values, v)):
        wanted = (*old.shape[:2], "new", old.shape[3])
        fits = isinstance(x, Tensor) and x.ndim == 4 and x.dtype == old.dtype
        if not fits or x.shape[:2] != old.shape[:2] or x.shape[3] != old.shape[3]:
            got = f"{x.dtype} {tuple(x.shape)}" if isinstance(x, Tensor) else type(x)
            raise ValueError(f"{function}: {name} must be {old.dtype} {wanted}, got {got}")
    if k.shape[2] != v.shape[2]:
        raise ValueError(
            f"{function}: v must hold one value for each key, got {v.shape[2]} for {k.shape[2]}"
        )
