"""Settings of the score functions, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.widgets import ScoreResponse


def score_response() -> list[dict[str, Any]]:
    """Return settings of the response widget with the scores and weights of every score."""
    draw = np.random.RandomState(6)
    rows = []
    for i in range(120):
        setting = {
            "angle": float(draw.randint(-36, 37) * 5),
            "length": float(np.round(10 ** draw.uniform(-1, 0.6), 3)),
            "d": (4, 16, 64, 256)[i % 4],
            "beta": float(np.round(10 ** draw.uniform(-0.3, 1.69), 3)),
            "seed": int(draw.randint(0, 10)),
        }
        rows.append(
            {"setting": setting, "numbers": as_json(ScoreResponse(**setting).readouts())}
        )
    return rows


FIXTURES = {"score_response": score_response}
