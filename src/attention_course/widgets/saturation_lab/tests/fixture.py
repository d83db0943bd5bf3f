"""Settings of the lab, with what the reference says of each."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course import reference
from attention_course.reference.labs.saturation import SCALES, TYPICAL
from attention_course.reference.number_formats import FORMATS
from attention_course.widgets.saturation_lab.widget import SIZES

SEEDS = (0, 1, 7)
WIDTHS = [1, 2, 3, 5, 16, 33, 63, 64, 65, 100, 127, 128, 300, 512]
WIDTHS += [1024, 2048, 3001, 4095, 4096]


def settings() -> Iterator[dict[str, Any]]:
    """Yield the settings of the grid: every width, scale and format, the rest drawn."""
    draw = np.random.RandomState(2017)
    for d_k in WIDTHS:
        for scale in SCALES:
            for number_format in FORMATS:
                moved = draw.uniform(-5, 5, draw.randint(0, 5)).round(2).tolist()
                yield {
                    "d_k": d_k,
                    "n_keys": int(draw.choice([2, 3, 5, 16, 31, 32])),
                    "scale": scale,
                    "scale_value": round(float(10 ** draw.uniform(-3, 0.5)), 4),
                    "spread": round(float(10 ** draw.uniform(-1, 1)), 3),
                    "number_format": number_format,
                    "seed": int(draw.choice(SEEDS)),
                    "query": TYPICAL if d_k % 2 else int(draw.randint(0, 256)),
                    "offsets": moved,
                }
    plain = {
        "scale_value": 1.0,
        "seed": 0,
        "query": 0,
        "offsets": [],
        "number_format": "float16",
    }
    for n_keys in (2, 32):  # float16 overflows: some queries, then nearly all
        for spread in (300.0, 1000.0):
            wide = {"d_k": 4096, "n_keys": n_keys, "scale": "none", "spread": spread}
            yield from (plain | wide | {"query": query} for query in (0, TYPICAL))
    last = {"query": 255, "number_format": "float32", "offsets": [0.0] * 15 + [40.0]}
    yield plain | last | {"d_k": 64, "n_keys": 16, "scale": "none", "spread": 1.0}


def saturation() -> list[dict[str, Any]]:
    """Return each setting with all that the lab shows for it."""
    order = sorted(settings(), key=lambda s: (s["seed"], s["number_format"]))
    rows = [{"setting": s, "numbers": as_json(reference.saturation(**s))} for s in order]
    for row in (row for i, row in enumerate(rows) if i % 36):
        row["numbers"].pop("queries")  # 512 numbers: some rows have them
    return rows


def lab() -> dict[str, Any]:
    """Return what the lab's script is told of its mathematics."""
    return SIZES


FIXTURES = {"saturation": saturation, "lab": lab}
