"""How fast is attention's backward pass?"""

from collections.abc import Sequence
from typing import ClassVar

from attention_course.benchmarks.attention import AttentionBenchmark, attention_sizes
from attention_course.benchmarks.base import Size, Variant
from attention_course.measure import Device


class Backward(AttentionBenchmark):
    """The gradients of exact attention, of a forward pass that has been run."""

    name = "backward"
    question = "How fast is exact attention's backward pass?"
    timed = "backward"
    weight = 1.5
    sizes: ClassVar[dict[str, Sequence[Size]]] = {
        "cpu": attention_sizes((256, 512, 1024), tokens=256, width=128),
        "cuda": attention_sizes(
            (1024, 2048, 4096, 8192), tokens=16384, width=2048, head_sizes=(64, 128)
        ),
        "live cuda": attention_sizes((512, 1024, 2048), tokens=2048, width=1024),
        "tiny": attention_sizes((32, 48), tokens=32, width=128),
    }

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return all but the compiled eager form, which the forward pass has shown."""
        return {k: v for k, v in super().variants(device).items() if k != "compiled"}
