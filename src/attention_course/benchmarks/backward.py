"""How fast is attention's backward pass?"""

from collections.abc import Sequence
from typing import ClassVar

from attention_course.benchmarks.attention import AttentionBenchmark, attention_sizes
from attention_course.benchmarks.base import Goal, Size, Variant
from attention_course.measure import Device


class Backward(AttentionBenchmark):
    """The gradients of exact attention, of a forward pass that has been run.

    Used in ``scale/triton-kernel``.
    """

    name = "backward"
    question = "How fast is exact attention's backward pass?"
    timed = "backward"
    sizes: ClassVar[dict[str, Sequence[Size]]] = {
        "cpu": attention_sizes((256, 512, 1024), tokens=256, width=128),
        "cuda": attention_sizes(
            (1024, 2048, 4096, 8192), tokens=16384, width=2048, head_sizes=(64, 128)
        ),
        "live cuda": attention_sizes((512, 1024, 2048), tokens=2048, width=1024),
        "tiny": attention_sizes((32, 48), tokens=32, width=128),
    }
    goals: ClassVar[Sequence[Goal]] = (
        Goal(
            "G8",
            "Triton's backward speed / cuDNN's, d = 128, full",
            lambda r: r.ratio("sdpa cudnn", "triton", n=8192, d=128, causal=False).value,
            0.40,
            0.55,
        ),
    )

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return all but the compiled eager form, which the forward pass has shown."""
        return {k: v for k, v in super().variants(device).items() if k != "compiled"}
