"""How much memory does attention need besides its inputs?"""

from collections.abc import Sequence
from typing import ClassVar

from attention_course.benchmarks.attention import AttentionBenchmark, attention_sizes
from attention_course.benchmarks.base import Goal, Size, Variant
from attention_course.benchmarks.results import Results
from attention_course.measure import Device


def _doubled(results: Results, variant: str) -> float:
    """Return the extra memory at twice the largest length's half over that at the half."""
    n, extra = results.series(variant, "n", "extra_bytes", causal=False)
    return extra[-1] / extra[n.index(n[-1] / 2)]


def _fused(results: Results) -> str:
    """Return the fused variant: cuDNN's where it ran, else the one that torch takes."""
    there = {row["variant"] for row in results.rows if "extra_bytes" in row}
    return "sdpa cudnn" if "sdpa cudnn" in there else "sdpa"


def _eager(results: Results) -> float:
    return _doubled(results, "eager")


def _fused_doubled(results: Results) -> float:
    return _doubled(results, _fused(results))


def _saved(results: Results) -> float:
    at = {"n": 4096, "causal": False}
    fused = results.row(_fused(results), **at)["extra_bytes"]
    return results.row("eager", **at)["extra_bytes"] / fused


class Memory(AttentionBenchmark):
    """The most that a forward and backward pass holds at one time, on doubled lengths.

    Used in ``scale/complexity``.
    """

    name = "memory"
    question = "How much memory does attention need besides its inputs?"
    measures = ("memory",)
    timed = "both"
    sizes: ClassVar[dict[str, Sequence[Size]]] = {
        "cpu": attention_sizes((256, 512, 1024, 2048), tokens=256, width=64),
        "cuda": attention_sizes(
            (512, 1024, 2048, 4096, 8192), tokens=1, width=1024, head_sizes=(128,)
        ),
        "live cuda": attention_sizes((512, 1024, 2048, 4096), tokens=1, width=512),
        "tiny": attention_sizes((32, 64, 128), tokens=32, width=128),
    }
    goals: ClassVar[Sequence[Goal]] = (
        Goal("G9 eager", "extra memory on doubling n, eager", _eager, 3.8, None, 4.2),
        Goal("G9 fused", "extra memory on doubling n, fused", _fused_doubled, 1.9, None, 2.1),
        Goal("G9 saved", "extra memory, eager / fused at n = 4,096", _saved, 15.0, 20.0),
    )

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return those that are told apart by their memory."""
        kept = ("eager", "chunked", "tiled", "sdpa", "sdpa flash", "sdpa cudnn", "triton")
        return {k: v for k, v in super().variants(device).items() if k in kept}
