"""Settings of the two kernels with what is counted and said of each."""

from typing import Any

import numpy as np

from attention_course.widgets import GpuAttention
from attention_course.widgets.gpu_attention.widget import SIZES, WIDTHS, work_of


def works() -> list[dict[str, Any]]:
    """Return operations and bytes at sizes that fit the tiles and at odd ones."""
    draw = np.random.RandomState(34)
    rows = []
    for i in range(40):
        size = {
            "n": int(draw.choice(SIZES) if i % 2 else draw.randint(1, 3000)),
            "d": int(draw.choice(WIDTHS)),
            "heads": int(draw.choice([1, 2, 8])),
            "causal": i % 4 > 1,
        }
        rows.append({"size": size} | {f: work_of(f, **size) for f in ("passes", "fused")})
    return rows


def sentences() -> list[dict[str, Any]]:
    """Return what is said of settings."""
    states = [
        {"d": d, "heads": heads, "causal": heads == 1, "longest": n}
        for d in WIDTHS
        for heads in (1, 8)
        for n in SIZES
    ]
    return [{"state": state, "words": GpuAttention(**state).sentence()} for state in states]


FIXTURES = {"counts": works, "sentences": sentences}
