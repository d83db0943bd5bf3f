"""How much memory does attention need besides its inputs?"""

from collections.abc import Sequence
from typing import ClassVar

from attention_course.benchmarks.attention import AttentionBenchmark, attention_sizes
from attention_course.benchmarks.base import Size, Variant
from attention_course.measure import Device


class Memory(AttentionBenchmark):
    """The most that a forward and backward pass holds at one time, on doubled lengths."""

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

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return those that are told apart by their memory."""
        kept = ("eager", "chunked", "tiled", "sdpa", "sdpa flash", "sdpa cudnn", "triton")
        return {k: v for k, v in super().variants(device).items() if k in kept}
