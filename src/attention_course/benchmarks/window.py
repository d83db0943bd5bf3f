"""How much of the work that a window saves does it save in time?"""

from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor

from attention_course.benchmarks.attention import AttentionBenchmark, flex, sdpa
from attention_course.benchmarks.base import Call, Size, Variant
from attention_course.measure import Device


def width(n: int) -> int:
    """Return how many keys a query sees at most, itself among them.

    >>> width(16384)
    1024
    """
    return max(1, n // 16)


def by_mask(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attend in a window, with all scores in memory: what the others must be equal to."""
    n = q.shape[-2]
    near = torch.ones(n, n, dtype=torch.bool, device=q.device).tril().triu(1 - width(n))
    scores = q @ k.mT * q.shape[-1] ** -0.5
    return scores.masked_fill(~near, -torch.inf).softmax(-1) @ v


class Window(AttentionBenchmark):
    """Attention to all that came before, and to the last sixteenth of it."""

    name = "window"
    question = "How much of the work that a window saves does it save in time?"
    baseline = "sdpa"
    weight = 2
    gradients = False
    sizes: ClassVar[dict[str, Sequence[Size]]] = {
        "cpu": [{"n": 2048, "d": 64, "heads": 2, "batch": 1, "causal": True}],
        "cuda": [{"n": 16384, "d": 128, "heads": 16, "batch": 1, "causal": True}],
        "tiny": [{"n": 48, "d": 8, "heads": 2, "batch": 2, "causal": True}],
    }

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return attention without a window and with one."""
        return {
            "sdpa": Variant(sdpa()),
            "flex": Variant(flex, ("flex",), live=False),
            "flex, window": Variant(_flex_window, ("flex",), live=False, steps=by_mask),
            "blocks, window": Variant(_blocks, steps=by_mask),
        }

    def operations(self, size: Size, variant: str) -> int:
        """Count the two products, by the pairs that are seen."""
        pairs, n = self._pairs(size), size["n"]
        if variant.endswith("window"):
            w = width(n)
            pairs = n * w - w * (w - 1) // 2
        return int(4 * size["batch"] * size["heads"] * pairs * size["d"])


def _flex_window(size: Size) -> Call:
    return flex(size, window=width(size["n"]))


def _blocks(size: Size) -> Call:
    from attention_course.layers.scale.sliding_window import sliding_window_attention

    def attend(q: Tensor, k: Tensor, v: Tensor) -> Any:
        return sliding_window_attention(q, k, v, width(size["n"]))

    return attend
