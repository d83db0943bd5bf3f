"""Settings of the two kernels with what the reference counts of each."""

from typing import Any

import numpy as np

from attention_course.reference.scale.roofline import attention_work
from attention_course.widgets.gpu_attention.widget import SIZES, WIDTHS

TILE = 32  # queries of a workgroup of the fused kernel: TILE in kernels.js


def shown(d: int, heads: int, causal: bool, longest: int) -> dict[str, float]:
    """Return operations and bytes of both forms, each array once for a pass."""
    n, found = longest, {}
    for form, variant in (("passes", "naive"), ("fused", "tiled")):
        work = attention_work(variant, n, d, heads=heads, dtype="float32", cache=1e12)
        # The tiled form of the reference also writes a statistic a query.
        statistics = 4 * heads * n if form == "fused" else 0
        found |= {f"operations-{form}": work.matmul, f"moved-{form}": work.moved - statistics}
    if causal:  # a workgroup stops behind its last query, with all the keys of that tile
        last = [TILE * (i // TILE + 1) for i in range(n)]
        tiles = sum(min(n, end) for end in last)
        wide = sum(min(n, end + -end % d) for end in last)  # tiles of d keys, in the first pass
        found["operations-fused"] = 4 * heads * d * tiles
        found["operations-passes"] = 2 * heads * d * (tiles + wide)
        found["moved-passes"] -= 16 * heads * (n * n - n * (n + 1) // 2)
    return {name: float(x) for name, x in found.items()}


def works() -> list[dict[str, Any]]:
    """Return operations and bytes at lengths that fit the tiles and at odd ones."""
    draw = np.random.RandomState(34)
    rows = []
    for i in range(40):
        setting = {
            "longest": int(draw.choice(SIZES) if i % 2 else draw.randint(1, 3000)),
            "d": int(draw.choice(WIDTHS)),
            "heads": int(draw.choice([1, 2, 8])),
            "causal": i % 4 > 1,
        }
        rows.append({"setting": setting, "numbers": shown(**setting)})
    return rows


FIXTURES = {"gpu_attention": works}
