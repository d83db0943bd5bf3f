"""What a recording of a GPU is to reach, and what it reached."""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from attention_course.benchmarks.decode import fastest
from attention_course.benchmarks.results import Results


class Goal(NamedTuple):
    """A ratio that a recording is to reach.

    Attributes:
        name: its number on the list.
        part: the benchmark that it is taken from.
        words: whose speed is divided by whose, or what else.
        ratio: from the results to the ratio.
        floor: what it must reach; None where it is only told.
        stretch: what it might reach; None where nobody says.
        most: what it must not exceed, where it should be near something.
    """

    name: str
    part: str
    words: str
    ratio: Callable[[Results], float]
    floor: float | None = None
    stretch: float | None = None
    most: float | None = None


class Reached(NamedTuple):
    """A goal, and what a device reached.

    Attributes:
        name: the goal's number.
        words: whose speed is divided by whose, or what else.
        reached: the ratio; None where one of the two was not measured.
        floor: what it must reach; None where it is only told.
        stretch: what it might reach; None where nobody says.
        most: what it must not exceed; None where there is no such bound.
    """

    name: str
    words: str
    reached: float | None
    floor: float | None
    stretch: float | None
    most: float | None

    @property
    def met(self) -> bool | None:
        """Whether it lies where it should; None where it is not known, or only told."""
        if self.reached is None or self.floor is None:
            return None
        return self.floor <= self.reached <= (self.most or float("inf"))


def goals(results: Results | Iterable[Results]) -> list[Reached]:
    """Say what was reached of the course's goals.

    Args:
        results: of one benchmark, or of several on one device, such as ``everything_on(one)``.

    Returns:
        A row for each goal of these benchmarks, by number.

    >>> goals([])
    []
    """
    found = {r.name: r for r in ([results] if isinstance(results, Results) else results)}
    rows = [
        Reached(g.name, g.words, _reached(g, found[g.part]), g.floor, g.stretch, g.most)
        for g in GOALS
        if g.part in found
    ]
    return sorted(rows, key=lambda row: int(re.findall(r"\d+", row.name)[0]))


def everything_on(results: Results) -> list[Results]:
    """Return all that was recorded on the device of some recorded results.

    Args:
        results: of any benchmark.

    Returns:
        The results of each benchmark that was recorded there.
    """
    from attention_course.benchmarks.runner import names
    from attention_course.measure.records import recorded_devices

    every = (pair for name in names() for pair in recorded_devices(name))
    return [
        Results(content, about, live=False)
        for content, about in every
        if content["device"]["name"] == results.device["name"]
    ]


def _reached(goal: Goal, results: Results) -> float | None:
    try:
        return float(goal.ratio(results))
    except (ValueError, KeyError, IndexError, ZeroDivisionError):  # something is not there
        return None


def _speed(ours: str, theirs: str, **size: Any) -> Callable[[Results], float]:
    """Return what gives the speed of one variant over that of another."""
    return lambda results: results.ratio(theirs, ours, **size).value


def _of_the_ceiling(results: Results) -> float:
    row = results.row("triton", n=8192, d=128, causal=False)
    return row["operations"] / row["seconds"]["value"] / results.ceilings["matmul"]


def _doubled(results: Results, variant: str) -> float:
    """Return the extra memory at the largest length over that at its half."""
    n, extra = results.series(variant, "n", "extra_bytes", causal=False)
    return extra[-1] / extra[n.index(n[-1] / 2)]


def _fused(results: Results) -> str:
    """Return the fused variant: cuDNN's where it ran, else the one that torch takes."""
    there = {row["variant"] for row in results.rows if "extra_bytes" in row}
    return "sdpa cudnn" if "sdpa cudnn" in there else "sdpa"


def _saved(results: Results) -> float:
    at = {"n": 4096, "causal": False}
    fused = results.row(_fused(results), **at)["extra_bytes"]
    return results.row("eager", **at)["extra_bytes"] / fused


def _bandwidth(results: Results) -> float:
    size = {"n": 65536, "kv_heads": 8}
    moved = results.row("grouped", **size)["bytes"]
    return moved / fastest(results, **size) / results.ceilings["copy"]


def _splitting(results: Results) -> float:
    size = {"n": 65536, "kv_heads": 1}
    return results.time("triton", **size) / fastest(results, **size)


def _sharing(results: Results) -> float:
    """Return the gain by sharing keys, of ways that were measured with and without."""
    sizes = [{"n": 65536, "kv_heads": kv} for kv in (64, 8)]
    both = [
        name
        for name in results.variants
        if name != "repeated" and all("seconds" in results.row(name, **at) for at in sizes)
    ]
    every, shared = (min(results.time(name, **at) for name in both) for at in sizes)
    return every / shared


def _window(results: Results) -> float:
    """Return the rate with a window over that without: what it saves in time, of its work."""
    whole, near = (results.row(name)["operations"] for name in ("flex", "flex, window"))
    return results.ratio("flex", "flex, window").value * near / whole


def _crossover(results: Results) -> float:
    """Return the length from which on linear attention is faster than fused attention."""
    fused, linear = (
        dict(zip(*results.series(name, "n", "seconds"), strict=True))
        for name in ("fused", "linear")
    )
    lengths = sorted(fused.keys() & linear.keys())
    slower = [i for i, n in enumerate(lengths) if linear[n] >= fused[n]]
    return lengths[max(slower, default=-1) + 1]


def _efficient(results: Results) -> float:
    """Return how many times as fast the memory-efficient backend is, at the largest length."""
    at: dict[str, Any] = {"d": 64, "causal": True}
    both = (
        results.series(name, "n", "seconds", **at)[0] for name in ("eager", "sdpa efficient")
    )
    return results.ratio(
        "eager", "sdpa efficient", n=max(set.intersection(*map(set, both))), **at
    ).value


_FULL: dict[str, Any] = {"n": 8192, "d": 128, "causal": False}
_CAUSAL: dict[str, Any] = {**_FULL, "causal": True}
_OF_64: dict[str, Any] = {**_FULL, "d": 64}
_CUDNN, _FLASH = "sdpa cudnn", "sdpa flash"
GOALS = (
    *(
        Goal(name, "forward", words, _speed(ours, theirs, **size), floor, stretch)
        for name, words, ours, theirs, size, floor, stretch in (
            ("G1", "Triton / cuDNN, d = 128, full", "triton", _CUDNN, _FULL, 0.58, 0.75),
            ("G2", "Triton / cuDNN, d = 128, causal", "triton", _CUDNN, _CAUSAL, 0.55, 0.70),
            ("G3", "Triton / cuDNN, d = 64, full", "triton", _CUDNN, _OF_64, 0.85, 1.00),
            (
                "G4",
                "Triton / FlashAttention-2, d = 128, full",
                "triton",
                _FLASH,
                _FULL,
                1.05,
                1.30,
            ),
            ("G6", "cuDNN / eager, d = 128, full", _CUDNN, "eager", _FULL, 4.0, None),
            ("G6", "cuDNN / eager, d = 128, causal", _CUDNN, "eager", _CAUSAL, 12.0, None),
            ("G7", "Triton / eager, d = 128, full", "triton", "eager", _FULL, 2.6, 3.3),
            ("G7", "Triton / eager, d = 128, causal", "triton", "eager", _CAUSAL, 8.0, 11.0),
        )
    ),
    Goal(
        "G5", "forward", "Triton / matrix product, d = 128, full", _of_the_ceiling, 0.50, 0.65
    ),
    Goal(
        "G8",
        "backward",
        "backward: Triton / cuDNN, d = 128, full",
        _speed("triton", _CUDNN, **_FULL),
        0.40,
        0.55,
    ),
    Goal(
        "G9",
        "memory",
        "extra memory, n doubled: eager",
        lambda r: _doubled(r, "eager"),
        3.8,
        most=4.2,
    ),
    Goal(
        "G9",
        "memory",
        "extra memory, n doubled: fused",
        lambda r: _doubled(r, _fused(r)),
        1.9,
        most=2.1,
    ),
    Goal("G9", "memory", "extra memory, eager / fused, n = 4,096", _saved, 15.0, 20.0),
    Goal("G11", "decode", "decode, 64k: bandwidth / copy", _bandwidth, 0.60, 0.80),
    Goal(
        "G12", "decode", "decode, MQA, 64k: keys split / in one piece", _splitting, 10.0, 30.0
    ),
    Goal("G13", "decode", "decode, 64k: 8 heads of keys / 64", _sharing, 4.0, 6.0),
    Goal("G14", "window", "rate in a window of 1,024 / without, 16k", _window, 0.55, 0.80),
    Goal(
        "G15",
        "layers",
        "linear / fused attention, 16k",
        _speed("linear", "fused", n=16384),
        2.0,
        3.5,
    ),
    Goal("G15", "layers", "length from which linear is faster", _crossover),
    Goal(
        "G16",
        "scan",
        "training: scanned minGRU / GRU in a loop",
        _speed("minGRU, scanned", "GRU, in a loop"),
        50.0,
        150.0,
    ),
    Goal(
        "G16",
        "scan",
        "training: scanned minGRU / torch's GRU",
        _speed("minGRU, scanned", "GRU"),
    ),
    Goal("G17", "forward", "memory-efficient / eager, causal, longest", _efficient, 2.0),
)
