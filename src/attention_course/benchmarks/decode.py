"""How fast is attention for one new token, which reads all that is kept?"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor

from attention_course.benchmarks.attention import (
    by_triton,
    compiled,
    flex,
    forced_backends,
    sdpa,
)
from attention_course.benchmarks.base import Benchmark, Call, Size, Variant
from attention_course.benchmarks.results import Results
from attention_course.kernels.decode import (
    grouped_attention,
    repeated_attention,
    split_kv_attention,
)
from attention_course.kernels.tiled import merge_partials
from attention_course.kernels.triton_attention import triton_partial_attention
from attention_course.measure import Device

# Compiling takes seconds for each shape: the longest is enough to see what it brings.
_COMPILED = {"n": (65536,), "kv_heads": (8,)}
FUSED = ("flash", "cudnn")  # the kernels of SDPA that share keys


def decode_sizes(
    lengths: Sequence[int], kv_heads: Sequence[int], **fixed: int
) -> list[dict[str, int]]:
    """Return sizes: every length with every number of heads that have keys of their own.

    Args:
        lengths: positions that are kept.
        kv_heads: how many heads have keys and values.
        **fixed: heads, d, batch, and the bytes of a number.

    Returns:
        Sizes with n, kv_heads and what is fixed.

    >>> decode_sizes([64], [4, 1], heads=4)
    [{'n': 64, 'kv_heads': 4, 'heads': 4}, {'n': 64, 'kv_heads': 1, 'heads': 4}]
    """
    return [{"n": n, "kv_heads": kv, **fixed} for kv in kv_heads for n in lengths]


def fastest(results: Results, **size: int) -> float:
    """Return the seconds of whatever is fastest at a size, without copies of the keys.

    Args:
        results: of this benchmark.
        **size: its numbers.

    Returns:
        The least of the medians.

    Raises:
        ValueError: if nothing was measured there.
    """
    rows = (results.row(name, **size) for name in results.variants if name != "repeated")
    times = [row["seconds"]["value"] for row in rows if "seconds" in row]
    if not times:
        raise ValueError(f"fastest: expected a measured row at {size}, got none")
    return float(min(times))


class Decode(Benchmark):
    """One query a head against a cache, with as many or fewer heads of keys and values."""

    name = "decode"
    question = "How fast is attention for one new token?"
    baseline = "repeated"
    gradients = False
    sizes: ClassVar[Mapping[str, Sequence[Size]]] = {
        "cpu": decode_sizes([4096], [32, 8, 1], heads=32, d=64, batch=1, number_bytes=4),
        "cuda": decode_sizes(
            [4096, 16384, 65536], [64, 8, 1], heads=64, d=128, batch=1, number_bytes=2
        ),
        "live cuda": decode_sizes(
            [16384], [64, 8, 1], heads=64, d=128, batch=1, number_bytes=2
        ),
        "tiny": decode_sizes([48], [6, 2], heads=6, d=64, batch=2, number_bytes=4),
    }

    def inputs(self, size: Size, device: Device, dtype: Any) -> tuple[Tensor, ...]:
        """Draw one query a head, and all that is kept."""
        rng = torch.Generator(device=device.torch).manual_seed(0)
        heads = {"q": (size["heads"], 1), "k": (size["kv_heads"], size["n"])}
        return tuple(
            torch.randn(
                (size["batch"], *heads[x], size["d"]), generator=rng, device=device.torch
            ).to(dtype)
            for x in "qkk"
        )

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return the ways to read a cache; on a GPU with each backend of SDPA, and Triton."""
        once = _COMPILED if device.kind == "cuda" else {}
        ways = {
            "repeated": Variant(lambda size: repeated_attention),
            "grouped": Variant(lambda size: grouped_attention),
            "grouped, compiled": Variant(
                lambda size: compiled(grouped_attention), ("compile",), only=once, live=False
            ),
            **{f"split {parts}": Variant(_split(parts)) for parts in (16, 64)},
            "sdpa": Variant(sdpa()),
            "flex": Variant(flex, ("flex",), only=once, live=False),
        }
        if device.kind == "cuda":
            ways |= forced_backends()
            ways["triton"] = Variant(by_triton, ("triton",))
            ways["triton, split"] = Variant(lambda size: triton_split, ("triton",))
        return ways

    def proof(self, size: Size) -> Size:
        """Return a size at which all agree, whose parts leave some keys over."""
        return {**super().proof({**size, "batch": 2}), "n": min(size["n"], 200)}

    def operations(self, size: Size, variant: str) -> int:
        """Count multiplications and additions of the two products."""
        return int(4 * size["batch"] * size["heads"] * size["n"] * size["d"])

    def least_bytes(self, size: Size) -> int:
        """Count keys and values, once."""
        kept = size["batch"] * size["kv_heads"] * size["n"] * size["d"]
        return int(2 * kept * size["number_bytes"])

    def bytes(self, size: Size, variant: str) -> int:
        """Count keys and values, and what is written and read again of their copies.

        On a GPU without FlashAttention and cuDNN, SDPA takes plain attention for shared keys,
        and that copies them.
        """
        once, group = self.least_bytes(size), size["heads"] // size["kv_heads"]
        fused = self.device.kind == "cpu" or not all(map(self.device.why_not, FUSED))
        plain = ("repeated", "sdpa math") if fused else ("repeated", "sdpa math", "sdpa")
        copied = variant in plain and group > 1
        return once + (2 * group * once if copied else 0)


def _split(parts: int) -> Callable[[Size], Call]:
    def prepare(size: Size) -> Call:
        return lambda q, k, v: split_kv_attention(q, k, v, min(parts, k.shape[2]))

    return prepare


def triton_split(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attend by the Triton kernel to parts of the keys at once, and merge.

    To the kernel each part is one more head. A block of queries holds the heads of a group, so
    that each key is read once; there are as many parts as keep a GPU's processors busy.

    Args:
        q: one query a head.
        k: keys, of as many heads or fewer.
        v: values, one for each key.

    Returns:
        The contexts.

    Source:
        Dao et al. (2023), "Flash-Decoding".
    """
    batch, kv_heads, n, _ = k.shape
    rows = q.unflatten(1, (kv_heads, -1)).flatten(2, 3)
    parts = max(1, min(n // 64, 512 // (batch * kv_heads)))
    cut = n - n % parts
    found = []
    for start, stop, count in ((0, cut, parts), (cut, n, 1)):
        if start < stop:
            some = [x[:, :, start:stop].unflatten(2, (count, -1)) for x in (k, v)]
            asked = rows.repeat_interleave(count, 1)
            pair = triton_partial_attention(asked, *(x.flatten(1, 2) for x in some))
            found.append([x.unflatten(1, (-1, count)).movedim(2, 0) for x in pair])
    contexts, log_sums = map(torch.cat, zip(*found, strict=True))
    return merge_partials(contexts, log_sums)[0].unflatten(2, (-1, 1)).flatten(1, 2)
