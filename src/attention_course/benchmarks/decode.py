"""How fast is attention for one new token, which reads all that is kept?"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention_course.benchmarks.attention import _compile
from attention_course.benchmarks.base import Benchmark, Call, Goal, Size, Variant
from attention_course.benchmarks.results import Results
from attention_course.kernels.decode import (
    grouped_attention,
    repeated_attention,
    split_kv_attention,
)
from attention_course.measure import Device


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

    Used in ``scale/decoding``.
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

    Used in ``scale/decoding``.
    """
    rows = (results.row(name, **size) for name in results.variants if name != "repeated")
    times = [row["seconds"]["value"] for row in rows if "seconds" in row]
    if not times:
        raise ValueError(f"fastest: expected a measured row at {size}, got none")
    return float(min(times))


def _bandwidth(results: Results) -> float:
    size = {"n": 65536, "kv_heads": 8}
    moved = results.row("grouped", **size)["bytes"]
    return float(moved / fastest(results, **size) / results.ceilings["copy"])


def _sharing(results: Results) -> float:
    every, shared = (fastest(results, n=65536, kv_heads=kv) for kv in (64, 8))
    return every / shared


class Decode(Benchmark):
    """One query a head against a cache, with as many or fewer heads of keys and values.

    Used in ``scale/decoding``.
    """

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
        "tiny": decode_sizes([48], [6, 2], heads=6, d=16, batch=2, number_bytes=4),
    }
    goals: ClassVar[Sequence[Goal]] = (
        Goal("G11", "decode bandwidth / copy bandwidth, 64k", _bandwidth, 0.60, 0.80),
        Goal("G13", "MHA / GQA-8 decode time, 64k", _sharing, 4.0, 6.0),
    )

    def inputs(
        self, size: Size, device: Device, dtype: Any, seed: int = 0
    ) -> tuple[Tensor, ...]:
        """Draw one query a head, and all that is kept."""
        rng = torch.Generator(device=device.torch).manual_seed(seed)
        heads = {"q": (size["heads"], 1), "k": (size["kv_heads"], size["n"])}
        return tuple(
            torch.randn(
                (size["batch"], *heads[x], size["d"]), generator=rng, device=device.torch
            ).to(dtype)
            for x in "qkk"
        )

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return the ways to read a cache."""
        return {
            "repeated": Variant(lambda size: repeated_attention),
            "grouped": Variant(lambda size: grouped_attention),
            "grouped, compiled": Variant(
                lambda size: _compile(grouped_attention), ("compile",), live=False
            ),
            **{f"split {parts}": Variant(_split(parts)) for parts in (16, 64)},
            "sdpa": Variant(_sdpa),
            "flex": Variant(_flex, ("flex",)),
        }

    def proof(self, size: Size) -> Size:
        """Return a size at which all agree, whose parts leave some keys over."""
        return super().proof({**size, "batch": 2})

    def operations(self, size: Size, variant: str) -> int:
        """Count multiplications and additions of the two products."""
        return int(4 * size["batch"] * size["heads"] * size["n"] * size["d"])

    def least_bytes(self, size: Size) -> int:
        """Count keys and values, once."""
        kept = size["batch"] * size["kv_heads"] * size["n"] * size["d"]
        return int(2 * kept * size["number_bytes"])

    def bytes(self, size: Size, variant: str) -> int:
        """Count keys and values, and what is written and read again of their copies."""
        once, group = self.least_bytes(size), size["heads"] // size["kv_heads"]
        copied = variant == "repeated" and group > 1
        return once + (2 * group * once if copied else 0)


def _split(parts: int) -> Callable[[Size], Call]:
    def prepare(size: Size) -> Call:
        return lambda q, k, v: split_kv_attention(q, k, v, min(parts, k.shape[2]))

    return prepare


def _sdpa(size: Size) -> Call:
    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return scaled_dot_product_attention(q, k, v, enable_gqa=q.shape[1] != k.shape[1])

    return attend


def _flex(size: Size) -> Call:
    from torch.nn.attention.flex_attention import flex_attention

    compiled = _compile(flex_attention)
    return lambda q, k, v: compiled(q, k, v, enable_gqa=q.shape[1] != k.shape[1])
