"""Attention in three passes and in one fused kernel, on the reader's own GPU."""

from functools import cache
from typing import Any, ClassVar

from attention_course.data import published
from attention_course.reference.scale.roofline import attention_work, device_sheets
from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import choice, flag

SIZES = (128, 256, 512, 1024, 2048, 4096, 8192)
WIDTHS = (32, 64)
DEVICE = "H100 SXM"


@cache
def known() -> dict[str, Any]:
    """Return an H100's roofline, and where published kernels lie below it."""
    device = device_sheets()[DEVICE]
    points, source = [], ""
    for row in published("flash3", d=64):
        form = "naive" if row.variant == "eager" else "tiled"
        source = f"{row.cite}, {row.where}"
        for n, tflops in zip(row.n, row.values, strict=True):
            causal = row.size["causal"]
            work = attention_work(form, n, 64, causal=causal, cache=device.cache)
            rate = 1e12 * tflops * work.matmul / work.useful  # as computed, not as credited
            points.append([row.variant, n, causal, work.matmul / work.moved, rate])
    return {
        "device": DEVICE,
        "bandwidth": device.bandwidth,
        "peak": device.peak["float16"],
        "source": source,
        "points": points,
    }


class GpuAttention(CourseWidget, folder="gpu_attention"):
    r"""Run attention on the reader's GPU, twice: in three passes, and in one fused kernel.

    Nothing runs before a press of the button. Both kernels are then compared with attention in
    float64; only if they are equal are they timed, the two in turn. Bytes are counted:

    .. math:: \text{three passes: } 4h(4nd + 4n^2), \qquad \text{fused: } 4h \cdot 4nd

    Args:
        d: width of a head, 32 or 64.
        heads: 1, 2, 4 or 8.
        causal: whether a query sees no later key.
        longest: where timing ends, unless the GPU is too slow for that: 128 to 8,192 tokens.
        key: names the widget in links; "gpu-attention" unless given.

    >>> GpuAttention(longest=8192)
    GpuAttention(d=64, heads=8, causal=False, longest=8192)
    """

    _constants: ClassVar[dict[str, Any]] = {"known": known()}

    d = choice(WIDTHS, 64)
    heads = choice((1, 2, 4, 8), 8)
    causal = flag(default=False)
    longest = choice(SIZES, 4096, [f"{n:,}" for n in SIZES])
