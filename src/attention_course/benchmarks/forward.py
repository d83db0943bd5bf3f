"""How fast is attention forwards?"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from attention_course.benchmarks.attention import AttentionBenchmark, attention_sizes
from attention_course.benchmarks.base import Goal, Size
from attention_course.benchmarks.results import Results


def _speed(ours: str, theirs: str, **size: Any) -> Callable[[Results], float]:
    """Return what gives the speed of one variant over that of another, at n = 8,192."""
    return lambda results: results.ratio(theirs, ours, n=8192, **size).value


def _of_the_ceiling(results: Results) -> float:
    row = results.row("triton", n=8192, d=128, causal=False)
    return row["operations"] / row["seconds"]["value"] / results.ceilings["matmul"]


class Forward(AttentionBenchmark):
    """Exact attention forwards, over lengths at a fixed number of tokens.

    Used in ``scale/gpu-attention``.
    """

    name = "forward"
    question = "How fast is exact attention forwards?"
    sizes: ClassVar[dict[str, Sequence[Size]]] = {
        "cpu": attention_sizes((256, 512, 1024), tokens=256, width=128),
        "cuda": attention_sizes(
            (512, 1024, 2048, 4096, 8192, 16384),
            tokens=16384,
            width=2048,
            head_sizes=(64, 128),
        ),
        "live cuda": attention_sizes((512, 1024, 2048, 4096), tokens=4096, width=1024),
        "tiny": attention_sizes((32, 48), tokens=32, width=128),
    }
    goals: ClassVar[Sequence[Goal]] = (
        Goal(
            "G1",
            "Triton's speed / cuDNN's, d = 128, full",
            _speed("triton", "sdpa cudnn", d=128, causal=False),
            0.58,
            0.75,
        ),
        Goal(
            "G2",
            "Triton's speed / cuDNN's, d = 128, causal",
            _speed("triton", "sdpa cudnn", d=128, causal=True),
            0.55,
            0.70,
        ),
        Goal(
            "G3",
            "Triton's speed / cuDNN's, d = 64, full",
            _speed("triton", "sdpa cudnn", d=64, causal=False),
            0.85,
            1.00,
        ),
        Goal(
            "G4",
            "Triton's speed / FlashAttention-2's, d = 128, full",
            _speed("triton", "sdpa flash", d=128, causal=False),
            1.05,
            1.30,
        ),
        Goal(
            "G5",
            "Triton's rate / the matrix product's, d = 128, full",
            _of_the_ceiling,
            0.50,
            0.65,
        ),
        Goal(
            "G6 full",
            "cuDNN's speed / eager's, d = 128, full",
            _speed("sdpa cudnn", "eager", d=128, causal=False),
            4.0,
        ),
        Goal(
            "G6 causal",
            "cuDNN's speed / eager's, d = 128, causal",
            _speed("sdpa cudnn", "eager", d=128, causal=True),
            12.0,
        ),
        Goal(
            "G7 full",
            "Triton's speed / eager's, d = 128, full",
            _speed("triton", "eager", d=128, causal=False),
            2.6,
            3.3,
        ),
        Goal(
            "G7 causal",
            "Triton's speed / eager's, d = 128, causal",
            _speed("triton", "eager", d=128, causal=True),
            8.0,
            11.0,
        ),
    )
