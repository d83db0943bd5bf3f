"""How fast is attention for one new token, which reads all that is kept?"""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from attention_course.benchmarks.attention import (
    by_triton,
    compiled,
    flex,
    forced_backends,
    normal_inputs,
    sdpa,
)
from attention_course.benchmarks.base import Call, Question, Size, Way
from attention_course.benchmarks.results import Results
from attention_course.kernels.decode import (
    grouped_attention,
    repeated_attention,
    split_kv_attention,
)
from attention_course.kernels.triton_attention import triton_split
from attention_course.measure import Device

# Compiling takes seconds for each shape: the longest is enough to see what it brings.
_ONCE = {"n": 65536, "kv_heads": 8}


def _sizes(tokens: int, *lengths: int, heads: tuple[int, ...], d: int) -> list[dict[str, int]]:
    """Return every length with every number of heads that have keys of their own.

    There are so many texts that no cache of a GPU holds even one head's keys of all: a model's
    layers read other keys in between, and so every step reads them from memory.
    """
    fixed = {"heads": heads[0], "d": d}
    return [
        {"n": n, "kv_heads": kv, **fixed, "batch": max(1, tokens // n)}
        for kv in heads
        for n in lengths
    ]


def fastest(results: Results, **size: int) -> float:
    """Return the least median seconds of the ways that do not copy keys; ValueError if none."""
    rows = (results.row(name, **size) for name in results.variants if name != "repeated")
    times = [row["seconds"] for row in rows if "seconds" in row]
    if not times:
        raise ValueError(f"fastest: expected a measured row at {size}, got none")
    return float(min(times))


def _inputs(size: Size, device: Device, dtype: Any) -> tuple[Tensor, ...]:
    """Draw one query a head, and all that is kept."""
    kept = (size["batch"], size["kv_heads"], size["n"], size["d"])
    return normal_inputs(
        [(size["batch"], size["heads"], 1, size["d"]), kept, kept], device, dtype
    )


def _ways(device: Device) -> dict[str, Way]:
    """Return the ways to read a cache; on a GPU with each backend of SDPA, and Triton."""
    gpu = device.kind == "cuda"
    once = _ONCE if gpu else {}
    ways = {
        "repeated": Way(lambda size: repeated_attention),
        "grouped": Way(lambda size: grouped_attention),
        "grouped, compiled": Way(
            lambda size: compiled(grouped_attention), ("compile",), only=once
        ),
        **{f"split {parts}": Way(_split(parts)) for parts in (16, 64)},
        "sdpa": Way(sdpa()),
        "flex": Way(flex, ("flex",), only=once),
    }
    if gpu:
        ways |= forced_backends()
        ways["triton"] = Way(by_triton, ("triton",))
        ways["triton, split"] = Way(lambda size: triton_split, ("triton",))
    return ways


def _moved(size: Size, way: str, device: Device) -> int:
    """Count keys and values once, and what is written and read again of their copies.

    On a GPU without FlashAttention and cuDNN, SDPA takes plain attention for shared keys, and
    that copies them.
    """
    kept = size["batch"] * size["kv_heads"] * size["n"] * size["d"]
    once, group = int(2 * kept * device.dtype.itemsize), size["heads"] // size["kv_heads"]
    fused = device.kind == "cpu" or not all(map(device.why_not, ("flash", "cudnn")))
    plain = ("repeated", "sdpa math") if fused else ("repeated", "sdpa math", "sdpa")
    return once + (2 * group * once if way in plain and group > 1 else 0)


def _split(parts: int) -> Callable[[Size], Call]:
    return lambda size: lambda q, k, v: split_kv_attention(q, k, v, min(parts, k.shape[2]))


ASKED = {
    "decode": Question(
        "repeated",
        _ways,
        _inputs,
        {
            "cpu": _sizes(4096, 4096, heads=(32, 8, 1), d=64),
            "cuda": _sizes(2**19, 16384, 65536, heads=(64, 8, 1), d=128),
            "live cuda": _sizes(2**18, 16384, heads=(64, 8, 1), d=128),
        },
        lambda size, way: int(4 * size["batch"] * size["heads"] * size["n"] * size["d"]),
        _moved,
        gradients=False,
        # Its parts leave some keys over.
        equality_check_size=lambda size: {**size, "batch": 2, "n": min(size["n"], 200)},
    ),
}
