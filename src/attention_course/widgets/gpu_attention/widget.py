"""Attention in three passes and in one fused kernel, on the reader's own GPU."""

import html
from functools import cache
from typing import Any, ClassVar

from attention_course.data import published
from attention_course.reference.scale.roofline import attention_work, device_sheets
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import choice, flag

TILE = 32  # queries of a workgroup of the fused kernel: TILE in kernels.js
BYTES = 4  # of float32
SIZES = (128, 256, 512, 1024, 2048, 4096, 8192)
WIDTHS = (32, 64)
DEVICE = "H100 SXM"


def work_of(form: str, n: int, d: int, heads: int, *, causal: bool) -> dict[str, float]:
    """Return the operations of a form's products, and the bytes that it moves at least.

    >>> round(work_of("passes", 4096, 64, 8, causal=False)["moved"] / 1e6)
    2181
    """
    whole, rest = divmod(n, TILE)
    tiles = TILE * TILE * whole * (whole + 1) / 2 + rest * n
    pairs = tiles if form == "fused" and causal else n * n
    matrices = 4 * n * n if form == "passes" else 0
    return {
        "operations": float(4 * heads * pairs * d),
        "moved": float(BYTES * heads * (4 * n * d + matrices)),
    }


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

    >>> found = GpuAttention(longest=8192).readouts()
    >>> found["moved-passes"] / found["moved-fused"]
    129.0
    """

    _state: ClassVar[tuple[str, ...]] = ("d", "heads", "causal", "longest")
    _constants: ClassVar[dict[str, Any]] = {"known": known()}

    d = choice(WIDTHS, 64)
    heads = choice((1, 2, 4, 8), 8)
    causal = flag(default=False)
    longest = choice(SIZES, 4096, [f"{n:,}" for n in SIZES])

    def readouts(self) -> dict[str, Any]:
        """Return what is counted at the longest length."""
        found: dict[str, Any] = {}
        for form in ("passes", "fused"):
            counted = work_of(form, self.longest, self.d, self.heads, causal=self.causal)
            found |= {f"{name}-{form}": value for name, value in counted.items()}
        return found

    def sentence(self) -> str:
        """Return what the widget says, as ``describe`` in ``maths.js`` does."""
        now = self.readouts()
        passes, fused = now["moved-passes"], now["moved-fused"]
        many = "s" if self.heads > 1 else ""
        return (
            f"At {self.longest:,} tokens, {self.heads} head{many} of width {self.d} in "
            f"float32: three passes move at least {_megabytes(passes)}, "
            f"{passes / fused:.0f} times as much as one fused kernel ({_megabytes(fused)}). "
            f"The scores alone fill {_megabytes(BYTES * self.heads * self.longest**2)}."
        )

    def _fallback(self) -> str:
        rows = []
        for n in SIZES[: SIZES.index(self.longest) + 1]:
            both = [
                work_of(form, n, self.d, self.heads, causal=self.causal)
                for form in ("passes", "fused")
            ]
            cells = [_megabytes(c["moved"]) for c in both]
            cells += [f"{c['operations'] / c['moved']:.0f}" for c in both]
            rows.append((f"{n:,}", *cells))
        head = (
            "tokens",
            "three passes move at least",
            "one fused kernel",
            "operations a byte: three passes",
            "fused",
        )
        caption = "Counted, not measured: with WebGPU this page runs both on your own GPU."
        return f"<p>{html.escape(self.sentence())}</p>" + table(head, rows, caption)


def _megabytes(count: float) -> str:
    """Write bytes, as ``megabytes`` in ``maths.js`` does."""
    return f"{count / 1e6:.2f} MB" if count < 1e7 else f"{round(count / 1e6):,} MB"
