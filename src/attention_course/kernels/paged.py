"""A cache in pages: blocks that are handed out one at a time, and shared between texts."""

import torch
from torch import Tensor

from attention_course._shapes import Float
from attention_course.kernels.decode import attend_to_part
from attention_course.kernels.tiled import merge_partials
from attention_course.reference._check import Call, whole
from attention_course.reference._checked import checked


class BlockAllocator:
    """Hands out the numbers of blocks, and counts who uses each.

    Args:
        n_blocks: how many there are.

    Raises:
        ValueError: if the number is not positive.

    Source:
        Kwon et al. (2023), sections 4.2 and 4.4.

    >>> blocks = BlockAllocator(2)
    >>> first = blocks.take()
    >>> blocks.share(first)
    >>> blocks.release(first)
    >>> first, blocks.users[first], blocks.n_free
    (0, 1, 1)
    """

    @checked(n_blocks=whole())
    def __init__(self, n_blocks: int):
        self.users = [0] * n_blocks
        self._free = [*reversed(range(n_blocks))]

    @property
    def n_free(self) -> int:
        """Number of free blocks."""
        return len(self._free)

    def take(self) -> int:
        """Return a free block."""
        if not self._free:
            got = f"a free block, got {len(self.users)} in use"
            raise ValueError(f"BlockAllocator: expected {got}")
        block = self._free.pop()
        self.users[block] = 1
        return block

    def share(self, block: int) -> None:
        """Count one more user of a block."""
        _check_used(self.users, block)
        self.users[block] += 1

    def release(self, block: int) -> None:
        """Count one user less; the block of the last one is free again."""
        _check_used(self.users, block)
        self.users[block] -= 1
        if not self.users[block]:
            self._free.append(block)


def _check_used(users: list[int], block: int) -> None:
    if not 0 <= block < len(users) or not users[block]:
        raise ValueError(f"BlockAllocator: expected a block in use, got {block}")


class PagedCache:
    r"""Keys and values of one layer for many texts, in blocks that lie anywhere.

    .. math:: k_t = K\bigl[\text{table}[\lfloor t / b \rfloor],\; t \bmod b\bigr]

    Args:
        n_blocks: how many blocks there are for all texts.
        block_size: positions of a block, b.
        n_kv_heads: heads with keys and values of their own.
        d_k: width of a key.
        d_v: width of a value; ``d_k`` unless given.
        dtype: their number format; torch's default unless given.
        device: where they lie.

    Attributes:
        tables: for each text, the blocks that hold it, in order.
        lengths: for each text, its positions.

    Source:
        Kwon et al. (2023), sections 4.1 to 4.4.

    >>> cache = PagedCache(n_blocks=4, block_size=2, n_kv_heads=1, d_k=3)
    >>> text = cache.start()
    >>> cache.append(text, torch.ones(1, 5, 3), torch.ones(1, 5, 3))
    >>> other = cache.fork(text)
    >>> cache.append(other, torch.ones(1, 1, 3), torch.ones(1, 1, 3))
    >>> cache.tables
    {0: [0, 1, 2], 1: [0, 1, 3]}
    """

    @checked(n_blocks=whole(), block_size=whole(), n_kv_heads=whole(), d_k=whole(), d_v=whole())
    def __init__(
        self,
        n_blocks: int,
        block_size: int,
        n_kv_heads: int,
        d_k: int,
        d_v: int | None = None,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ):
        d_v = d_k if d_v is None else d_v
        self.blocks = BlockAllocator(n_blocks)
        shape = (n_blocks, n_kv_heads, block_size)
        self.k = torch.empty(*shape, d_k, dtype=dtype, device=device)
        self.v = torch.empty(*shape, d_v, dtype=dtype, device=device)
        self.block_size = block_size
        self.tables: dict[int, list[int]] = {}
        self.lengths: dict[int, int] = {}
        self._next = 0

    def start(self) -> int:
        """Begin a text; return its number."""
        text, self._next = self._next, self._next + 1
        self.tables[text], self.lengths[text] = [], 0
        return text

    def append(
        self,
        text: int,
        k: Float[Tensor, "kv_heads new d_k"],
        v: Float[Tensor, "kv_heads new d_v"],
    ) -> None:
        """Keep the keys and values of the next positions of a text."""
        self._check(text)
        for name, x, pool in (("k", k, self.k), ("v", v, self.v)):
            wanted = (pool.shape[1], k.shape[1] if k.ndim == 3 else "new", pool.shape[3])
            if tuple(x.shape) != wanted or x.dtype != pool.dtype:
                got = f"{x.dtype} {tuple(x.shape)}"
                raise ValueError(
                    f"PagedCache.append: {name} must be {pool.dtype} {wanted}, got {got}"
                )
        for t in range(k.shape[1]):
            block, slot = place_for_next(self, text)
            self.k[block, :, slot], self.v[block, :, slot] = k[:, t], v[:, t]

    def fork(self, text: int) -> int:
        """Begin a text that goes on from another; nothing is copied yet."""
        self._check(text)
        new = self.start()
        for block in self.tables[text]:
            self.blocks.share(block)
        self.tables[new] = [*self.tables[text]]
        self.lengths[new] = self.lengths[text]
        return new

    def free(self, text: int) -> None:
        """Give the blocks of a text back, save those that another one uses."""
        self._check(text)
        for block in self.tables.pop(text):
            self.blocks.release(block)
        del self.lengths[text]

    @property
    def taken(self) -> int:
        """Positions that the blocks in use have room for."""
        return (len(self.blocks.users) - self.blocks.n_free) * self.block_size

    def _check(self, text: int) -> None:
        if text not in self.tables:
            raise ValueError(f"PagedCache: text must be one of {[*self.tables]}, got {text}")


def place_for_next(cache: PagedCache, text: int) -> tuple[int, int]:
    """Return block and slot of a text's next position, and count it: take or copy a block.

    Args:
        cache: the blocks and tables, which are changed.
        text: which of its texts goes on.

    Returns:
        The number of the block, and the place in it.

    Raises:
        ValueError: if no block is free.

    Source:
        Kwon et al. (2023), section 4.4, for the copy.

    >>> cache = PagedCache(n_blocks=4, block_size=2, n_kv_heads=1, d_k=3)
    >>> text = cache.start()
    >>> [place_for_next(cache, text) for _ in range(3)]
    [(0, 0), (0, 1), (1, 0)]
    """
    table = cache.tables[text]
    slot = cache.lengths[text] % cache.block_size
    if slot == 0:
        table.append(cache.blocks.take())
    elif cache.blocks.users[table[-1]] > 1:  # another text reads it: copy
        old, table[-1] = table[-1], cache.blocks.take()
        cache.k[table[-1]], cache.v[table[-1]] = cache.k[old], cache.v[old]
        cache.blocks.release(old)
    cache.lengths[text] += 1
    return table[-1], slot


def _fits_the_cache(call: Call) -> None:
    cache, text = call["cache"], call["text"]
    if call["heads"] % cache.k.shape[1]:
        raise call.fail("q", f"queries of a multiple of {cache.k.shape[1]} heads")
    if not cache.lengths.get(text, 0):
        raise call.fail("text", "one that holds a position", text)


@checked(_fits_the_cache, d_k=lambda cache: cache.k.shape[3])
def paged_attention(
    q: Float[Tensor, "heads q d_k"], cache: PagedCache, text: int
) -> Float[Tensor, "heads q d_v"]:
    r"""Attend to all keys of a text, block by block, wherever they lie.

    .. math:: c = \sum_p e^{L_p - L}\, c_p \quad
       \text{over the blocks } p \text{ of the table}

    Args:
        q: queries of the text's newest position; heads that share keys are neighbours.
        cache: where keys and values are.
        text: whose.

    Returns:
        The contexts, as from a cache in one piece.

    Raises:
        ValueError: if the text is unknown or empty, or the shapes do not fit.

    Source:
        Kwon et al. (2023), equation 4.

    >>> cache = PagedCache(n_blocks=4, block_size=2, n_kv_heads=1, d_k=3)
    >>> cache.append(cache.start(), torch.ones(1, 5, 3), torch.ones(1, 5, 3))
    >>> paged_attention(torch.ones(2, 1, 3), cache, text=0).shape
    torch.Size([2, 1, 3])
    """
    n_kv, left = cache.k.shape[1], cache.lengths[text]
    scale = q.shape[-1] ** -0.5
    rows = q.unflatten(0, (n_kv, -1)).flatten(1, 2)
    found = []
    for block in cache.tables[text]:
        k, v = cache.k[block, :, :left], cache.v[block, :, :left]
        found.append(attend_to_part(rows, k, v, scale))
        left -= cache.block_size
    contexts, log_sums = map(torch.stack, zip(*found, strict=True))
    merged, _ = merge_partials(contexts, log_sums)
    return merged.unflatten(1, (q.shape[0] // n_kv, -1)).flatten(0, 1)
