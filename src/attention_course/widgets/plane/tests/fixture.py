"""Settings of the plane, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.widgets import AttentionPlane


def plane() -> list[dict[str, Any]]:
    """Return settings of the plane with scores, weights, entropy and context."""
    draw = np.random.RandomState(2)
    rows = []
    for i in range(210):
        score = ("dot", "scaled", "cosine")[i % 3]
        points = draw.uniform(-5, 5, (draw.randint(3, 8), 2)).round(1)
        if i % 20 == 0:
            points[0] = 0.0  # a query without direction
        temperature = float(np.round(10 ** draw.uniform(-1, 1), 3))
        setting = {
            "query": points[0].tolist(),
            "key_points": points[1:].tolist(),
            "score": score,
            "temperature": temperature,
        }
        rows.append(
            {"setting": setting, "numbers": as_json(AttentionPlane(**setting).readouts())}
        )
    return rows


FIXTURES = {"plane": plane}
