"""Which trick makes the Triton kernel faster, and which does not?"""

from collections.abc import Callable, Sequence
from typing import ClassVar

import torch

from attention_course.benchmarks.attention import AttentionBenchmark, attention_sizes
from attention_course.benchmarks.base import Call, Size, Unavailable, Variant
from attention_course.kernels import triton_variants
from attention_course.measure import Device


class Ladder(AttentionBenchmark):
    """The Triton forward with its tricks switched on one by one; a GPU only."""

    name = "ladder"
    question = "Which trick makes the Triton kernel faster, and which does not?"
    baseline = "sdpa"
    gradients = False
    sizes: ClassVar[dict[str, Sequence[Size]]] = {
        "cpu": attention_sizes((256,), tokens=256, width=128),
        "cuda": attention_sizes((8192,), tokens=16384, width=2048, head_sizes=(64, 128)),
        # As wide as what others published, beside which a page draws it.
        "live cuda": attention_sizes((2048,), tokens=4096, width=1024, head_sizes=(128,)),
        "tiny": attention_sizes((32,), tokens=32, width=64),
    }

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return torch's own attention, and the rungs of the ladder."""
        # What hangs would take a page's kernel with it; a recording's process is ended.
        rungs = {
            rung.name: Variant(_rung(rung), ("triton",), live=not rung.warp_specialise)
            for rung in triton_variants.LADDER
        }
        return {"sdpa": super().variants(device)["sdpa"], **rungs}


def _rung(rung: triton_variants.Variant) -> Callable[[Size], Call]:
    """Return what prepares the kernel with the tricks of a rung."""

    def prepare(size: Size) -> Call:
        from attention_course.kernels.triton_attention import triton_attention, why_not

        if reason := why_not(rung, torch.device("cuda")):
            raise Unavailable(reason)
        causal = bool(size.get("causal"))
        return lambda q, k, v: triton_attention(q, k, v, causal=causal, variant=rung)

    return prepare
