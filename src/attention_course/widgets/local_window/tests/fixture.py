"""Windows on rows of scores, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.widgets import LocalWindow
from attention_course.widgets.local_window.widget import KINDS


def local_window() -> list[dict[str, Any]]:
    """Return windows on rows of scores: every kind, whole and broken centres, both ends."""
    draw = np.random.RandomState(10)
    rows = []
    for i in range(80):
        n = int(draw.randint(3, 17))
        centre = float(draw.choice([draw.uniform(0, 15), draw.randint(0, 16)]))
        setting = {
            "words": [f"w{j}" for j in range(n)],
            "scores": draw.uniform(-4, 4, n).round(2).tolist(),
            "kind": KINDS[i % 4],
            "centre": round(centre, 1),
            "half_width": int(draw.randint(1, 11)),
        }
        rows.append({"setting": setting, "numbers": as_json(LocalWindow(**setting).readouts())})
    return rows


FIXTURES = {"local_window": local_window}
