"""How fast is attention forwards?"""

from collections.abc import Sequence
from typing import ClassVar

from attention_course.benchmarks.attention import AttentionBenchmark, attention_sizes
from attention_course.benchmarks.base import Size


class Forward(AttentionBenchmark):
    """Exact attention forwards, over lengths at a fixed number of tokens."""

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
