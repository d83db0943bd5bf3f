"""What a decoder keeps while it writes: all keys and values, or those of a window."""

from typing import ClassVar

import torch
from torch import Tensor

from attention_course._shapes import Float


class KVCache:
    r"""Keys and values of one layer, in memory that is taken once.

    .. math:: K[t] = k_t, \qquad V[t] = v_t

    Args:
        batch: how many texts are written side by side.
        n_kv_heads: heads with keys and values of their own.
        longest: positions that there is room for.
        d_k: width of a key.
        d_v: width of a value; ``d_k`` unless given.
        dtype: their number format; torch's default unless given.
        device: where they lie.

    Attributes:
        length: how many positions are kept.
        mask: None, for every position that is kept may be seen.

    Raises:
        ValueError: if a size is not a positive whole number.

    Source:
        Follows from the causal mask of Vaswani et al. (2017), section 3.2.3; Shazeer (2019),
        section 2.4, counts what is kept.

    >>> cache = KVCache(batch=1, n_kv_heads=2, longest=8, d_k=4)
    >>> cache.append(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4))
    >>> cache.length, cache.k.shape
    (3, torch.Size([1, 2, 3, 4]))

    Taught in ``scale/decoding``.
    """

    mask: ClassVar[None] = None

    def __init__(
        self,
        batch: int,
        n_kv_heads: int,
        longest: int,
        d_k: int,
        d_v: int | None = None,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ):
        d_v = d_k if d_v is None else d_v
        sizes = (batch, n_kv_heads, longest)
        _check_sizes("KVCache", *sizes, d_k, d_v)
        self._k = torch.empty(*sizes, d_k, dtype=dtype, device=device)
        self._v = torch.empty(*sizes, d_v, dtype=dtype, device=device)
        self.length = 0

    def append(
        self,
        k: Float[Tensor, "batch kv_heads new d_k"],
        v: Float[Tensor, "batch kv_heads new d_v"],
    ) -> None:
        """Keep the keys and values of the next positions."""
        end = self.length + _new("KVCache.append", self._k, self._v, k, v)
        if end > self._k.shape[2]:
            raise ValueError(
                f"KVCache.append: k must fit into {self._k.shape[2]} positions, got {end}"
            )
        self._k[:, :, self.length : end] = k
        self._v[:, :, self.length : end] = v
        self.length = end

    @property
    def k(self) -> Float[Tensor, "batch kv_heads kept d_k"]:
        """The keys that are kept: a view, nothing is copied."""
        return self._k[:, :, : self.length]

    @property
    def v(self) -> Float[Tensor, "batch kv_heads kept d_v"]:
        """The values that are kept, as a view."""
        return self._v[:, :, : self.length]


class WindowCache:
    r"""Keys and values of the last positions alone, in a ring that is written over.

    .. math:: K[t \bmod w] = k_t, \qquad V[t \bmod w] = v_t

    In a full ring the newest position stands beside the oldest. A weighted sum does not ask in
    which order its terms come, so attention may read the ring as it lies.

    Args:
        batch: how many texts are written side by side.
        n_kv_heads: heads with keys and values of their own.
        window: how many positions are kept, w.
        d_k: width of a key.
        d_v: width of a value; ``d_k`` unless given.
        dtype: their number format; torch's default unless given.
        device: where they lie.

    Attributes:
        length: how many positions have come, kept or not.

    Raises:
        ValueError: if a size is not a positive whole number.

    Source:
        Jiang et al. (2023), section 2, "Rolling Buffer Cache".

    >>> cache = WindowCache(batch=1, n_kv_heads=1, window=3, d_k=1)
    >>> for t in range(5):
    ...     cache.append(torch.full((1, 1, 1, 1), t * 1.0), torch.ones(1, 1, 1, 1))
    >>> cache.length, cache.k.flatten().tolist()
    (5, [3.0, 4.0, 2.0])

    Taught in ``scale/decoding``.
    """

    def __init__(
        self,
        batch: int,
        n_kv_heads: int,
        window: int,
        d_k: int,
        d_v: int | None = None,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ):
        d_v = d_k if d_v is None else d_v
        sizes = (batch, n_kv_heads, window)
        _check_sizes("WindowCache", *sizes, d_k, d_v)
        self._k = torch.empty(*sizes, d_k, dtype=dtype, device=device)
        self._v = torch.empty(*sizes, d_v, dtype=dtype, device=device)
        self.length = 0

    def append(
        self,
        k: Float[Tensor, "batch kv_heads new d_k"],
        v: Float[Tensor, "batch kv_heads new d_v"],
    ) -> None:
        """Write the next positions over the oldest."""
        n = _new("WindowCache.append", self._k, self._v, k, v)
        window = self._k.shape[2]
        last = min(n, window)  # of a long piece only its end stays
        slots = torch.arange(self.length + n - last, self.length + n) % window
        self._k[:, :, slots] = k[:, :, n - last :]
        self._v[:, :, slots] = v[:, :, n - last :]
        self.length += n

    @property
    def k(self) -> Float[Tensor, "batch kv_heads kept d_k"]:
        """The keys in the window, as they lie in the ring."""
        return self._k[:, :, : self.length]

    @property
    def v(self) -> Float[Tensor, "batch kv_heads kept d_v"]:
        """The values in the window, as they lie in the ring."""
        return self._v[:, :, : self.length]


def _check_sizes(
    function: str, batch: object, n_kv_heads: object, room: object, d_k: object, d_v: object
) -> None:
    names = ("batch", "n_kv_heads", "longest", "d_k", "d_v")
    if function == "WindowCache":
        names = ("batch", "n_kv_heads", "window", "d_k", "d_v")
    for name, n in zip(names, (batch, n_kv_heads, room, d_k, d_v), strict=True):
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise ValueError(f"{function}: {name} must be a positive whole number, got {n!r}")


def _new(function: str, old_k: Tensor, old_v: Tensor, k: Tensor, v: Tensor) -> int:
    """Return how many positions come, if keys and values fit to those that are kept."""
    for name, old, x in (("k", old_k, k), ("v", old_v, v)):
        wanted = (*old.shape[:2], "new", old.shape[3])
        fits = isinstance(x, Tensor) and x.ndim == 4 and x.dtype == old.dtype
        if not fits or x.shape[:2] != old.shape[:2] or x.shape[3] != old.shape[3]:
            got = f"{x.dtype} {tuple(x.shape)}" if isinstance(x, Tensor) else type(x)
            raise ValueError(f"{function}: {name} must be {old.dtype} {wanted}, got {got}")
    if k.shape[2] != v.shape[2]:
        raise ValueError(
            f"{function}: v must hold one value for each key, got {v.shape[2]} for {k.shape[2]}"
        )
    return k.shape[2]
